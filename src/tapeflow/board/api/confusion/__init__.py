"""Confusion matrices: which classes are taken for which, as `tf.summary.confusion_matrix` logs them.

The writer logs a picture beside the counts, for boards that cannot draw them; the page leaves it out of the images.
"""

from tapeflow.board.api.confusion.blob import confusion_blob
from tapeflow.board.media import media_routes
from tapeflow.board.panels import Panel
from tapeflow.summary.kinds.confusions import PLUGIN

PANEL = Panel(
    name="confusion",
    title="Confusion",
    position=25,
    shows=lambda series: series.plugin == PLUGIN,
    routes=media_routes("confusion", confusion_blob, is_total=True),
)
