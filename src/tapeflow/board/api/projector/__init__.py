"""Projector: points in many dimensions, laid out in two or three.

```
 places: configurations ─► assets: vectors, labels, pictures ─► projections (numpy) ──────► packing ─► the page
                              ▲                             └─► jobs ─► worker (a process) ─┘
                           bundles (TensorFlow's checkpoints)
```

`places` finds `projector_config.pbtxt` in the log folders; these are files of their own, not event files. `assets`
reads what they name, within bounds and never outside the folder of the configuration; `metadata` makes columns of
labels. `projections` does in the server what takes a second; `jobs` has the rest (`layouts`) done by `worker`, a
process that reports as it goes and can be ended. Results are kept beside the board's index. Drawing is the page's
business. `facts` has what the page and a saved one (`export`) are told alike, `notes` what is said in words.
"""

from tapeflow.board.panels import Panel, later

PANEL = Panel(
    name="projector",
    title="Projector",
    position=80,
    shows=lambda series: series.plugin == "projector",
    routes=later(f"{__name__}.routes", "routes"),
    tensorboard=later(f"{__name__}.tensorboard", "tensorboard"),
    exports=later(f"{__name__}.export", "exports"),
)
