"""How a run is doing, when and where it ran: from what its files say, and how long ago they were written."""

from __future__ import annotations

import os
import re
import weakref

from tapeflow.board.api.runs.families import Family
from tapeflow.board.api.runs.schema import RunStanding
from tapeflow.board.health.vitals import status_of
from tapeflow.board.logdirs import shown
from tapeflow.board.runs import Run
from tapeflow.summary.kinds.hyperparameters import END_TAG, START_TAG
from tapeflow.summary.trials import Trial, read_trial

# events.out.tfevents.1731700000.host.name.4711.0.v2: TensorFlow adds a process and a number, PyTorch may not.
_FILE = re.compile(r"tfevents\.\d+\.(?P<host>.+?)(?:\.\d+\.\d+)?(?:\.v2)?$")


def standing_of(family: Family) -> RunStanding:
    """Whether a run goes on, and how it ended if its files tell."""
    runs = family.runs
    if any(run.state in ("waiting", "loading") for run in runs):
        return "reading"
    if all(run.state == "broken" for run in runs):
        return "unreadable"
    if status := status_of(family.vitals):
        return status
    trials = [trial for run in runs if (trial := _trial(run)) is not None]
    if any(trial.status == "failure" for trial in trials):
        return "crashed"
    if any(trial.status == "success" for trial in trials):
        return "finished"
    if any(trial.status == "unknown" and trial.end_time is not None for trial in trials):
        return "stopped"
    return "running" if any(run.is_live for run in runs) else "ended"


def span_of(family: Family) -> tuple[float | None, float | None]:
    """When it began, and when something was last written."""
    starts = [run.start_time for run in family.runs if run.start_time is not None]
    ends = [run.last_time for run in family.runs if run.last_time is not None]
    return min(starts, default=None), max(ends, default=None)


def host_of(family: Family) -> str:
    """The machine it ran on, by the name of its files; "" if that does not tell."""
    for run in family.runs:
        for path in run.found.files:
            found = _FILE.search(shown(os.path.basename(path)))
            if found:
                return found["host"]
    return ""


_trials: weakref.WeakKeyDictionary[Run, tuple[tuple[bytes, bytes], Trial | None]] = (
    weakref.WeakKeyDictionary()
)


def _trial(run: Run) -> Trial | None:
    """What a run says of itself as a trial; decoded once for as long as it says the same."""
    if not run.has(START_TAG):
        return None
    start, end = run.entries.get(START_TAG), run.entries.get(END_TAG)
    if start is None:
        return None
    contents = start.content, end.content if end else b""
    known = _trials.get(run)
    if known is None or known[0] != contents:
        known = _trials[run] = contents, read_trial(run.entries)
    return known[1]
