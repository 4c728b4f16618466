"""Histograms on the board: 500 steps of 10 tags, until the last is served, next to TensorBoard; and until drawn.

TensorBoard gives a page 51 of the steps; the board gives it all 500.
"""

from functools import partial

from benchmarks.board import COLD, TENSORBOARD, WARM, opening
from benchmarks.contenders import PROJECT, Script
from benchmarks.harness import Bar, Benchmark, Fact
from benchmarks.scripts.board_data import HISTOGRAMS, SHAPES, make

PAGE = "TapeFlow board, page"

BENCHMARKS = (
    opening(
        HISTOGRAMS,
        "opening 500 histograms of 10 tags, process start to last step",
        (
            Bar(COLD, TENSORBOARD, at_most=1.0),
            Bar(WARM, TENSORBOARD, at_most=1.0),
            Fact(COLD, "points", SHAPES[HISTOGRAMS][2]),
        ),
        rounds=3,
    ),
    Benchmark(
        name="board_histograms_page",
        title="drawing every card in view of 500 histograms each, from the navigation, headless Chromium",
        contenders=(
            Script(PAGE, PROJECT, ("-m", "benchmarks.scripts.board_histograms_page"), times_itself=True),
        ),
        reference=PAGE,
        bars=(
            Fact(PAGE, "steps", SHAPES[HISTOGRAMS][2]),
            Fact(PAGE, "draws_in_2_s", True),
            Fact(PAGE, "points_smoothly", True),
        ),
        rounds=3,
        unit="s",
        prepare=partial(make, HISTOGRAMS),
    ),
)
