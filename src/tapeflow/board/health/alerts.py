"""Alerts as the API gives them: findings of the rules, signs of life that ended, and the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapeflow.board.health.rules import Finding
from tapeflow.board.health.vitals import KeptAlert, Status, Vitals, status_of
from tapeflow.board.notes import HEALTH
from tapeflow.board.schema import Alert

if TYPE_CHECKING:
    from tapeflow.board.runs import Run

_RANKS = {"error": 0, "warning": 1, "info": 2}


def alerts_of(run: Run, status: Status) -> list[Alert]:
    """What is to be said of a run, the worst first."""
    found = [
        _of_finding(run, finding) for finding in run.findings if finding.code != "disk" or status == "running"
    ]
    ended = _of_status(run.vitals, status)
    users = [_of_user(alert) for alert in run.vitals.get("alerts", [])]
    found = [*found, *([ended] if ended is not None else []), *users]
    return sorted(found, key=lambda alert: _RANKS[alert["level"]])


def status(run: Run) -> Status:
    """How a run says it is doing; see `vitals.status_of`."""
    return status_of(run.vitals)


def _of_finding(run: Run, finding: Finding) -> Alert:
    return {
        "code": finding.code,
        "level": finding.level,
        "tag": finding.tag,
        "step": finding.step,
        "wall_time": run.last_time,
        "count": 1,
        "note": HEALTH(finding.code, **finding.values),
        "detail": "",
    }


def _of_user(alert: KeptAlert) -> Alert:
    return {
        "code": "user",
        "level": alert["level"],
        "tag": "",
        "step": alert["step"],
        "wall_time": alert["wall_time"],
        "count": alert["count"],
        "note": {"code": "user", "text": alert["title"], "values": {}},
        "detail": alert["text"],
    }


def _of_status(vitals: Vitals, status: Status) -> Alert | None:
    if status not in ("crashed", "stalled"):
        return None
    error = vitals.get("error", "")
    if status == "stalled":
        note = HEALTH("stalled")
    else:
        note = HEALTH("crashed", error=error.splitlines()[-1][:300]) if error else HEALTH("killed")
    return {
        "code": status,
        "level": "error" if status == "crashed" else "warning",
        "tag": "",
        "step": None,
        "wall_time": vitals.get("beat"),
        "count": 1,
        "note": note,
        "detail": vitals.get("traceback", ""),
    }
