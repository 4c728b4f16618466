"""The board's trace timeline: 100,000 events from the navigation until drawn, then moved and zoomed, in Chromium."""

from benchmarks.contenders import PROJECT, Script
from benchmarks.harness import Benchmark, Fact
from benchmarks.scripts.board_profile_data import EVENTS, make

PAGE = "TapeFlow board, trace"

BENCHMARKS = (
    Benchmark(
        name="board_profile",
        title="opening a trace of 100,000 events, from the navigation; then panning and zooming",
        contenders=(
            Script(PAGE, PROJECT, ("-m", "benchmarks.scripts.board_profile_page"), times_itself=True),
        ),
        reference=PAGE,
        bars=(Fact(PAGE, "events", EVENTS), Fact(PAGE, "moves_without_long_tasks", True)),
        rounds=3,
        unit="s",
        prepare=make,
    ),
)
