"""Alerts: what is wrong with runs, of every run in one list."""

from tapeflow.board.api.alerts.routes import routes
from tapeflow.board.panels import Panel

PANEL = Panel(
    name="alerts",
    title="Alerts",
    position=95,
    shows=lambda series: False,
    routes=routes,
)
