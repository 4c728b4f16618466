"""Graphs: Keras models, graphs of ops, and what a run of them took.

`blob` gives the page one graph as columns: the nodes that `graph_def` (ops, with the functions they call put in
place) or `keras_model` (layers, with `layer_shapes` and `layer_sizes` inferred) has found, and the times and bytes
that `run_metadata` has about them. What a single node holds is asked for by itself (`routes`): attributes may be
large. Laying out and grouping is the page's. `tensorboard` answers as TensorBoard does, in its own words.
"""

from tapeflow.board.api.graphs.blob import PLUGINS
from tapeflow.board.api.graphs.routes import routes
from tapeflow.board.api.graphs.tensorboard import tensorboard
from tapeflow.board.panels import Panel

PANEL = Panel(
    name="graphs",
    title="Graphs",
    position=70,
    shows=lambda series: series.plugin in PLUGINS,
    routes=routes,
    tensorboard=tensorboard,
)
