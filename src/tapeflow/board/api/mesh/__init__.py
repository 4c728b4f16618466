"""Meshes: points, triangles and colours, each a series of its own; the page puts them together by their names."""

from tapeflow.board.api.mesh.tensorboard import tensorboard
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel

PANEL = Panel(
    name="mesh",
    title="Mesh",
    position=85,
    shows=lambda series: series.plugin == "mesh",
    routes=media_routes("mesh"),
    tensorboard=tensorboard,
)
