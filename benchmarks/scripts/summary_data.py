"""The event files that the readers read: runs of ten tags with 4000 points each."""

import math
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.gettempdir()) / "tapeflow-benchmark-runs"
RUNS, TAGS, POINTS = 5, 10, 4000
"""Of the 50 runs in the set; the rest would be the same again."""


def make_runs() -> None:
    """Write the files anew."""
    from tapeflow.summary.event_files import encoding
    from tapeflow.summary.event_files.records import record

    shutil.rmtree(FOLDER, ignore_errors=True)
    meta = encoding.metadata("scalars")
    for number in range(RUNS):
        folder = FOLDER / f"run_{number}"
        folder.mkdir(parents=True)
        with open(folder / "events.out.tfevents.1700000000.host.1.0.v2", "wb") as file:
            file.write(record(encoding.version_event(1.7e9)))
            for step in range(POINTS):
                for tag in range(TAGS):
                    value = math.exp(-step / 1000) + tag
                    event = encoding.scalar_event(1.7e9 + step, step, f"metrics/tag_{tag}", value, meta)
                    file.write(record(event))


def run_folder(number: int) -> str:
    """The folder of a run."""
    return str(FOLDER / f"run_{number % RUNS}")
