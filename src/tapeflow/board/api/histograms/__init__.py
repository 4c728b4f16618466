"""Histograms, and the distributions that are the same series seen as percentiles: many steps in one answer."""

from tapeflow.board.api.histograms.buckets import histogram_blob
from tapeflow.board.api.histograms.routes import routes
from tapeflow.board.api.histograms.tensorboard import tensorboard
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel

_items = media_routes("histograms", histogram_blob)

PANEL = Panel(
    name="histograms",
    title="Histograms",
    position=22,
    shows=lambda series: series.plugin == "histograms",
    routes=lambda board: [*_items(board), *routes(board)],
    tensorboard=tensorboard,
)
