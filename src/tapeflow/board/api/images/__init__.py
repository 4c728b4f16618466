"""Images: every step of them, read from the file when shown."""

from tapeflow.board.blobs import holds_gifs
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel
from tapeflow.board.tensorboard import blob_routes

PANEL = Panel(
    name="images",
    title="Images",
    position=20,
    shows=lambda series: series.plugin == "images" and not holds_gifs(series),
    routes=media_routes("images"),
    tensorboard=blob_routes("images", "images", "individualImage"),
)
