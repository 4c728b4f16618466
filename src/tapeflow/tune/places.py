"""Which trial fills which place of a search, and which were lost.

A search of 30 trials has 30 places. A trial takes the next place when Optuna creates it: Optuna numbers trials one
after another, whichever machine asks, so a place is counted from the numbers and needs no other lock. A trial whose
process ended in the middle is *lost*: Optuna keeps it as failed, and another, with the same values, takes its place.
Two machines may both see the last place free; the one that comes second drops its trial, as *surplus*.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from typing import Any

from tapeflow.tune.backend import optuna

AGAIN = "again"
"""On a trial that is run again: the place it fills."""
LOST = "lost"
"""On a trial whose process ended: why it is thought so."""
SURPLUS = "surplus"
"""On a trial that came second."""
OWNER = "owner"
"""On every trial: the host and the process that run it."""
SEEN = "seen"
"""On every trial: when its process last gave a sign of life, in seconds since 1970."""
RUN = "run"
"""On every trial: its folder in the search's."""

SILENCE_S = 300.0
"""A process on another machine that gave no sign of life for so long is taken for dead."""

State = optuna.trial.TrialState
_ALIVE = (State.RUNNING, State.WAITING, State.COMPLETE, State.PRUNED)


def places(trials: Sequence[Any]) -> dict[int, int]:
    """The place of each trial, by the trial's number; surplus trials have none."""
    found: dict[int, int] = {}
    count = 0
    for trial in sorted(trials, key=lambda t: t.number):
        if SURPLUS in trial.user_attrs:
            continue
        again = trial.user_attrs.get(AGAIN)
        found[trial.number] = count if again is None else again
        count += again is None
    return found


def by_place(trials: Sequence[Any]) -> dict[int, list[Any]]:
    """The trials of each place, the last one last: it is the one that counts."""
    where = places(trials)
    found: dict[int, list[Any]] = {}
    for trial in sorted(trials, key=lambda t: t.number):
        if trial.number in where:
            found.setdefault(where[trial.number], []).append(trial)
    return found


def is_taken(trial: Any, rivals: Sequence[Any]) -> bool:
    """Whether an earlier trial fills the place already."""
    return any(r.number < trial.number and r.state in _ALIVE for r in rivals)


def owner() -> dict[str, Any]:
    """This process, so that another can tell whether it still runs."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "since": _since(os.getpid())}


def why_lost(trial: Any) -> str | None:
    """Why a running trial's process is taken for dead; None if it may be alive."""
    who = trial.user_attrs.get(OWNER)
    if who is not None and who["host"] == socket.gethostname():
        return None if _runs(who["pid"], who["since"]) else "its process ended"
    begun = trial.datetime_start.timestamp() if trial.datetime_start else 0.0
    silence = time.time() - trial.user_attrs.get(SEEN, begun)
    host = "its machine" if who is None else who["host"]
    return f"{host} gave no sign of life for {silence:.0f} s" if silence > SILENCE_S else None


def _runs(pid: int, since: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's process
        pass
    return _since(pid) == since


def _since(pid: int) -> str:
    """When a process began, where the system tells: process numbers are used again."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def recover(study: Any, retry_failed: bool = False) -> list[tuple[Any, str]]:
    """Have lost trials run again; each trial newly found to be lost, with the reason.

    Args:
        study: the Optuna study.
        retry_failed: run those again, too, whose function raised.
    """
    lost = []
    for trial in study.get_trials(deepcopy=False, states=(State.RUNNING,)):
        reason = why_lost(trial)
        if reason is not None and give_up(study, trial, reason):
            lost.append((trial, reason))
    for place, attempts in by_place(study.get_trials(deepcopy=False)).items():
        last = attempts[-1]
        if last.state == State.FAIL and (retry_failed or LOST in last.user_attrs):
            study.enqueue_trial(last.params, user_attrs={AGAIN: place})
    return lost


def give_up(study: Any, trial: Any, reason: str) -> bool:
    """Note that a running trial is lost; False if somebody else has ended it meanwhile."""
    try:
        optuna.trial.Trial(study, trial._trial_id).set_user_attr(LOST, reason)
        study.tell(trial.number, state=State.FAIL)
    except (ValueError, RuntimeError):  # Optuna's errors for trials that have ended
        return False
    return True
