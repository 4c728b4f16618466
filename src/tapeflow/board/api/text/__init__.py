"""Text: strings and arrays of them, given as text; the page renders Markdown, without HTML."""

from tapeflow.board.api.text.blob import text_blob
from tapeflow.board.api.text.tensorboard import tensorboard
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel

PANEL = Panel(
    name="text",
    title="Text",
    position=40,
    shows=lambda series: series.plugin == "text",
    routes=media_routes("text", text_blob),
    tensorboard=tensorboard,
)
