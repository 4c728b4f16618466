"""Profiles: what training waits for, its steps, ops, memory and pipeline, and the events of every thread.

`sessions` finds the files of a profile and keeps what was read of the last few. `overview` puts into JSON what
`tapeflow.summary.profile` makes of them; `timeline` cuts the events for a screen and packs them in columns;
`tensorboard` gives them to those who ask as they ask XProf; `export` to a saved page. Runs tell of their profiles
themselves (`board/runs.py`), so that a new one is on the page at once. Judging a profile is not done here.
"""

from tapeflow.board.panels import Panel, later

PANEL = Panel(
    name="profile",
    title="Profile",
    position=90,
    shows=lambda series: False,
    routes=later(f"{__name__}.routes", "routes"),
    tensorboard=later(f"{__name__}.tensorboard", "tensorboard"),
    exports=later(f"{__name__}.export", "exports"),
)
