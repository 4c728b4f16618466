"""The graphs panel: from an address until the graph is drawn in headless Chromium, next to TensorBoard's Graphs tab.

Both servers are up and have read the file; both draw the outermost scopes. The drawing is software's: there is no GPU.
"""

from functools import partial

from benchmarks.contenders import PROJECT, Script
from benchmarks.harness import Bar, Benchmark, Fact
from benchmarks.scripts.graph_data import TAPEFLOW, TENSORFLOW, make

BOARD, TENSORBOARD = "TapeFlow board", "TensorBoard"


def _opening(name: str, title: str) -> Benchmark:
    def script(contender: str, what: str) -> Script:
        argv = ("-m", "benchmarks.scripts.graph_open", what, name)
        return Script(contender, PROJECT, argv, times_itself=True)

    return Benchmark(
        name=f"board_graphs_{name}",
        title=title,
        contenders=(script(TENSORBOARD, "tensorboard"), script(BOARD, "tapeflow")),
        reference=TENSORBOARD,
        bars=(Bar(BOARD, TENSORBOARD, at_most=1.0), Fact(BOARD, "opens_in_2_s", True)),
        rounds=3,
        unit="s",
        prepare=partial(make, name),
    )


BENCHMARKS = (
    _opening(TAPEFLOW, "opening the op graph of ResNet-50 as TapeFlow traces it, 501 nodes"),
    _opening(TENSORFLOW, "opening a training step of ResNet-50 as TensorFlow writes it, some 6,000 nodes"),
)
