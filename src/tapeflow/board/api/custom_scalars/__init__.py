"""Custom scalars: charts as a logged layout puts them together, of TapeFlow's, TensorBoard's or tensorboardX's making.

`layout` reads and merges the layouts of all runs, `matching` finds the tags their expressions mean, `routes` gives
both to the page, which draws them as it draws scalars.
"""

from tapeflow.board.api.custom_scalars.routes import exports, routes
from tapeflow.board.api.custom_scalars.tensorboard import tensorboard
from tapeflow.board.panels import Panel
from tapeflow.summary.kinds.layouts import PLUGIN

PANEL = Panel(
    name="custom_scalars",
    title="Custom scalars",
    position=78,
    shows=lambda series: series.plugin == PLUGIN,
    routes=routes,
    tensorboard=tensorboard,
    exports=exports,
)
