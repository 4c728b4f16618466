"""The log folders that boards open: two million scalars, hundreds and thousands of runs, pictures, histograms."""

import math
import random
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.gettempdir()) / "tapeflow-benchmark-board"
SCALARS, RUNS, PICTURES, HISTOGRAMS = "scalars", "runs", "pictures", "histograms"
LINES, SMALL, TABLE, WIDE = "lines", "small", "table", "wide"
SHAPES = {
    SCALARS: (50, 10, 4000),
    RUNS: (1000, 5, 100),
    LINES: (300, 5, 500),
    SMALL: (3000, 3, 20),
    TABLE: (10_000, 5, 10),
    WIDE: (75_000, 20, 2),
    PICTURES: (20, 1, 50),
    HISTOGRAMS: (1, 10, 500),
}
"""Runs, tags and points of each."""
_PICTURE_BYTES = 1 << 20


def folder_of(name: str) -> Path:
    """The folder of a set."""
    return FOLDER / name


def last_tag(name: str) -> str:
    """The tag that is written last at every step."""
    return f"m/tag_{SHAPES[name][1] - 1}"


def make(name: str) -> None:
    """Write a set, unless it is there."""
    from tapeflow.summary.event_files import encoding
    from tapeflow.summary.event_files.records import record

    done = folder_of(name) / "done"
    if done.exists():
        return
    runs, tags, points = SHAPES[name]
    scalars = encoding.metadata("scalars")
    for run in range(runs):
        folder = folder_of(name) / f"run_{run}"
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / f"events.out.tfevents.1700000000.host.1.{run}.v2", "wb") as file:
            file.write(record(encoding.version_event(1.7e9 + run)))
            for step in range(points):
                for tag in range(tags):
                    time = 1.7e9 + run + 0.7 * step
                    if name == PICTURES:
                        event = _picture_event(time, step, f"m/tag_{tag}")
                    elif name == HISTOGRAMS:
                        event = _histogram_event(time, step, f"m/tag_{tag}")
                    else:
                        value = math.exp(-step / 1000) * (1 + 0.01 * run) + tag
                        event = encoding.scalar_event(time, step, f"m/tag_{tag}", value, scalars)
                    file.write(record(event))
    done.touch()


def _picture_event(time: float, step: int, tag: str) -> bytes:
    import numpy as np

    from tapeflow.summary.event_files import encoding
    from tapeflow.summary.event_files.tensors import tensor_bytes

    data = b"\x89PNG\r\n\x1a\n" + random.randbytes(_PICTURE_BYTES)
    strings = np.array([b"1024", b"1024", data], dtype=object)
    return encoding.tensor_event(time, step, tag, tensor_bytes(strings), encoding.metadata("images"))


def _histogram_event(time: float, step: int, tag: str) -> bytes:
    import numpy as np

    from tapeflow.summary.event_files import encoding
    from tapeflow.summary.event_files.tensors import tensor_bytes
    from tapeflow.summary.kinds.histograms import histogram_buckets

    rng = np.random.default_rng(step)
    data = np.concatenate([rng.normal(-step / 100, 1, 500), rng.normal(step / 200, 0.5, 500)])
    return encoding.tensor_event(
        time, step, tag, tensor_bytes(histogram_buckets(data)), encoding.metadata("histograms")
    )
