"""What the API of alerts gives, as types."""

from __future__ import annotations

from typing import TypedDict

from tapeflow.board.schema import Alert


class RunAlerts(TypedDict):
    """The alerts of one run, the worst first."""

    run: str
    name: str
    status: str
    alerts: list[Alert]


class AlertsAnswer(TypedDict):
    """The runs that have alerts."""

    runs: list[RunAlerts]
