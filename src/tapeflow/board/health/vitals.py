"""Signs of life: what runs capture of themselves, as far as the board has to have it at hand."""

from __future__ import annotations

import socket
import time
from typing import Literal, TypedDict

import numpy as np

from tapeflow.board.health.rules import STALLED_INTERVALS, STALLED_S
from tapeflow.summary.captured import messages
from tapeflow.summary.captured.messages import Level, UserAlert

Status = Literal["", "running", "finished", "crashed", "stalled"]
MOST_ALERTS = 100
_DOUBT = 2.0  # intervals of silence, after which its process is looked for


class KeptAlert(TypedDict):
    """An alert of the user's own: the last of its title, and how many there were."""

    title: str
    text: str
    level: Level
    step: int
    wall_time: float
    count: int


class Vitals(TypedDict, total=False):
    """What is known of the process of a run; small, as it is kept for every run and in the index."""

    id: str
    began: float
    host: str
    process: int
    process_began: float
    state: messages.RunEnd
    interval_s: float
    beat: float
    error: str
    traceback: str
    alerts: list[KeptAlert]


def take(vitals: Vitals, tag: str, array: np.ndarray, step: int, wall_time: float) -> None:
    """Take in a value of the plugin."""
    if array.size != 1 or array.dtype != object:
        return
    text = array.reshape(-1)[0]
    if not isinstance(text, (str, bytes)):
        return
    if tag == messages.FACTS:
        _take_facts(vitals, text)
    elif tag == messages.STATE:
        _take_state(vitals, text, wall_time)
    elif tag == messages.ALERTS and (alert := messages.alert_of(text)) is not None:
        _take_alert(vitals, alert, step, wall_time)


def _take_facts(vitals: Vitals, text: str | bytes) -> None:
    facts = messages.facts_of([text])
    if "host" in facts and facts.get("time", 0.0) >= vitals.get("began", 0.0):
        vitals["id"] = facts.get("id", "")[:64]
        vitals["began"] = facts.get("time", 0.0)
        vitals["host"] = facts["host"][:255]
        vitals["process"] = facts.get("process", 0)
        vitals["process_began"] = facts.get("process_began", 0.0)


def _take_state(vitals: Vitals, text: str | bytes, wall_time: float) -> None:
    state = messages.state_of(text)
    if not state or wall_time < vitals.get("beat", 0.0):
        return
    if state.get("id", "") != vitals.get("id"):  # another process goes on with the run
        vitals["id"] = state.get("id", "")[:64]
        vitals["process"] = 0
    vitals["state"] = state.get("state", "running")
    vitals["beat"] = wall_time
    vitals["interval_s"] = min(
        max(float(state.get("interval_s", vitals.get("interval_s", 10.0))), 1.0), 3600.0
    )
    vitals["error"] = state.get("error", "")[:1000]
    vitals["traceback"] = state.get("traceback", "")[:20_000]


def _take_alert(vitals: Vitals, alert: UserAlert, step: int, wall_time: float) -> None:
    kept = vitals.setdefault("alerts", [])
    count = 1
    for other in kept:
        if other["title"] == alert["title"]:
            count += other["count"]
            kept.remove(other)
            break
    kept.append({**alert, "step": step, "wall_time": wall_time, "count": count})
    del kept[:-MOST_ALERTS]


def status_of(vitals: Vitals, now: float | None = None) -> Status:
    """How a run is doing; "" if it captures nothing that would tell."""
    state = vitals.get("state")
    if state is None:
        return ""
    if state != "running":
        return state
    silent_s = (time.time() if now is None else now) - vitals.get("beat", 0.0)
    interval_s = vitals.get("interval_s", 10.0)
    if silent_s > _DOUBT * interval_s and _is_gone(vitals):
        return "crashed"
    return "stalled" if silent_s > max(STALLED_INTERVALS * interval_s, STALLED_S) else "running"


def _is_gone(vitals: Vitals) -> bool:
    """Whether the process ran on this machine and does no longer."""
    process = vitals.get("process", 0)
    if process <= 0 or vitals.get("host") != socket.gethostname():
        return False
    import psutil  # start-up

    try:
        return abs(psutil.Process(process).create_time() - vitals.get("process_began", 0.0)) > 2.0
    except psutil.NoSuchProcess:
        return True
    except (psutil.Error, OverflowError, ValueError):
        return False
