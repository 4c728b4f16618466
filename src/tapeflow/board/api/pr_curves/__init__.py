"""PR curves: precision and recall at many thresholds, as `tf.summary.pr_curve`, TensorBoard and PyTorch log them."""

from tapeflow.board.api.pr_curves.blob import curve_blob
from tapeflow.board.api.pr_curves.tensorboard import tensorboard
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel
from tapeflow.summary.kinds.pr_curves import PLUGIN

PANEL = Panel(
    name="pr_curves",
    title="PR curves",
    position=75,
    shows=lambda series: series.plugin == PLUGIN,
    routes=media_routes("pr_curves", curve_blob, is_total=True),
    tensorboard=tensorboard,
)
