"""Tables: strings in rows and columns, the names of the columns in the first row."""

from tapeflow.board.api.tables.blob import table_blob
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel

PANEL = Panel(
    name="tables",
    title="Tables",
    position=50,
    shows=lambda series: series.plugin == "tables",
    routes=media_routes("tables", table_blob),
)
