"""Audio: every clip of every step."""

from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel
from tapeflow.board.tensorboard import blob_routes

PANEL = Panel(
    name="audio",
    title="Audio",
    position=30,
    shows=lambda series: series.plugin == "audio",
    routes=media_routes("audio"),
    tensorboard=blob_routes("audio", "audio", "individualAudio"),
)
