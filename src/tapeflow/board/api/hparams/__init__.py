"""HParams: the sessions of a search, what they varied, what they reached, and which hparam mattered.

`sessions` finds them in the runs and puts those of one trial together, as TensorBoard does; everything else is made
of that: `columns` the table for the page, `importance` the measure of which hparam matters, `routes` the API;
`tensorboard` TensorBoard's routes, with `requests` (what is asked for), `listing` (filters, order, means) and
`downloads` (tables as files). Nothing here draws or filters for the page: it has the whole table and does that itself.
"""

from tapeflow.board.hparams import PLUGIN
from tapeflow.board.panels import Panel, later

PANEL = Panel(
    name="hparams",
    title="HParams",
    position=15,
    shows=lambda series: series.plugin == PLUGIN,
    routes=later(f"{__name__}.routes", "routes"),
    tensorboard=later(f"{__name__}.tensorboard", "tensorboard"),
    exports=later(f"{__name__}.routes", "exports"),
)
