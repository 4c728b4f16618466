"""Scalars: numbers over steps, cut to the pixels of a plot, every one of them within reach."""

from tapeflow.board.api.scalars.routes import routes
from tapeflow.board.api.scalars.tensorboard import tensorboard
from tapeflow.board.panels import Panel

PANEL = Panel(
    name="scalars",
    title="Scalars",
    position=10,
    is_scalar=True,
    shows=lambda series: series.plugin in ("", "scalars"),
    routes=routes,
    tensorboard=tensorboard,
)
