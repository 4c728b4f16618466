"""Runs: a table with a row for each run, a page about one, and a trash for those that are deleted.

`families` puts the `train` and `validation` folders of one run together; `extremes` has the last, least and largest
value of every series; `standing` says how a run is doing; `table` makes one message of all that; `page` has the rest of
what is known of one run; `trash` moves event files out of sight and back. It shows no series of its own.
"""

from tapeflow.board.panels import Panel, later

PANEL = Panel(
    name="runs",
    title="Runs",
    position=5,
    shows=lambda series: False,
    routes=later(f"{__name__}.routes", "routes"),
    exports=later(f"{__name__}.routes", "exports"),
    prepares={"runs/table": later(f"{__name__}.table", "table_of")},
)
