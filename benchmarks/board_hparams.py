"""The HParams panel with a thousand sessions: how long the table takes to come, to be drawn and to be brushed.

TensorBoard and the board are asked the same: all sessions, with 20 hparams and 10 metrics, over TensorBoard's own
route. The rest is the board's alone: its table for the page, and what a headless Chromium does with it. Long tasks are
the browser's: what keeps the page from answering for more than 50 ms.
"""

from benchmarks.contenders import PROJECT, Script
from benchmarks.harness import Bar, Benchmark, Fact
from benchmarks.scripts.board_hparams_data import make

OURS, THEIRS = "TapeFlow board", "TensorBoard"


def _script(name: str, what: str) -> Script:
    argv = ("-m", "benchmarks.scripts.board_hparams_open", what)
    return Script(name, PROJECT, argv, times_itself=True)


BENCHMARKS = (
    Benchmark(
        name="board_hparams",
        title="all of 1000 hparam sessions, one answer of session_groups",
        contenders=(_script(THEIRS, "tensorboard"), _script(OURS, "tapeflow")),
        reference=THEIRS,
        bars=(
            Bar(OURS, THEIRS, at_most=0.5),
            Fact(OURS, "is_drawn_in_2_s", True),
            Fact(OURS, "brushing_has_no_task_over_100_ms", True),
        ),
        rounds=3,
        unit="s",
        prepare=make,
    ),
)
