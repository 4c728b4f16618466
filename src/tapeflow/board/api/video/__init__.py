"""Video: what the video plugin logs, and GIFs logged as images, as tensorboardX and PyTorch do."""

from tapeflow.board.blobs import holds_gifs
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel

PANEL = Panel(
    name="video",
    title="Video",
    position=60,
    shows=lambda series: series.plugin == "video" or (series.plugin == "images" and holds_gifs(series)),
    routes=media_routes("video"),
)
