"""The board: from process start until the last point of every run is served, next to TensorBoard and its Rust server.

The board keeps an index of what it has read in the user's cache folder, so it is measured with that folder empty (a
first start) and as the last start left it (every other). TensorBoard keeps 1000 points of a series; the board has all.
"""

import subprocess
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.contenders import PROJECT, ROOT, Script
from benchmarks.harness import Bar, Benchmark, Fact
from benchmarks.scripts.board_data import LINES, PICTURES, RUNS, SCALARS, SHAPES, SMALL, TABLE, WIDE, make

PAGE = "TapeFlow board, page"
COLD, WARM = "TapeFlow board, no index", "TapeFlow board, with its index"
TENSORBOARD = "TensorBoard (Rust server)"
_CACHES = Path(tempfile.gettempdir()) / "tapeflow-benchmark-board-index"


def opening(name: str, title: str, bars: tuple[Bar | Fact, ...], rounds: int) -> Benchmark:
    """Process start to the last point of a set of `board_data`."""

    def script(contender: str, what: str, cache: Path | None = None, is_emptied: bool = False) -> Script:
        argv = ("-m", "benchmarks.scripts.board_open", what, name, *([str(cache)] if cache else []))
        return Script(contender, PROJECT, argv, emptied=cache if is_emptied else None, times_itself=True)

    return Benchmark(
        name=f"board_{name}",
        title=title,
        contenders=(
            script(TENSORBOARD, "tensorboard"),
            script(COLD, "tapeflow", _CACHES / name / "cold", is_emptied=True),
            script(WARM, "tapeflow", _CACHES / name / "warm"),
        ),
        reference=TENSORBOARD,
        bars=bars,
        rounds=rounds,
        unit="s",
        prepare=partial(make, name),
    )


def page(name: str, title: str, peers: bool, bars: tuple[Bar | Fact, ...]) -> Benchmark:
    """Process start to the first runs on a page, of a set of `board_data`, and the longest tasks of the page."""

    def script(contender: str, what: str) -> Script:
        argv = ("-m", "benchmarks.scripts.board_page", what, name)
        return Script(contender, PROJECT, argv, times_itself=True)

    return Benchmark(
        name=f"board_{name}_page",
        title=title,
        contenders=(script(PAGE, "tapeflow"), *([script(TENSORBOARD, "tensorboard")] if peers else [])),
        reference=PAGE,
        bars=bars,
        rounds=3,
        unit="s",
        prepare=partial(make, name),
    )


WIDE_INDEX = _CACHES / WIDE / "page"


def make_wide() -> None:
    """Write the widest set and read it once, so that there is an index of it."""
    make(WIDE)
    command = [str(PROJECT), "-m", "benchmarks.scripts.board_page", "index", WIDE, str(WIDE_INDEX)]
    subprocess.run(command, cwd=ROOT, check=True)


BENCHMARKS = (
    opening(
        SCALARS,
        "opening 50 runs with 2 M scalars, process start to last point",
        (
            Bar(COLD, TENSORBOARD, at_most=0.9),
            Bar(WARM, TENSORBOARD, at_most=0.4),
            Bar(COLD, TENSORBOARD, at_most=1.0, fact="memory_mb"),
            Fact(COLD, "points", SHAPES[SCALARS][2]),
            Fact(WARM, "points", SHAPES[SCALARS][2]),
            Fact(COLD, "answers_in_10_ms", True),
        ),
        rounds=5,
    ),
    opening(
        RUNS,
        "opening 1000 runs, process start to last point",
        (Bar(COLD, TENSORBOARD, at_most=1.0), Bar(WARM, TENSORBOARD, at_most=1.0)),
        rounds=3,
    ),
    opening(
        LINES,
        "opening 300 runs of 5 tags and 500 points, process start to last point",
        (Bar(COLD, TENSORBOARD, at_most=1.0), Bar(WARM, TENSORBOARD, at_most=1.0)),
        rounds=3,
    ),
    opening(
        SMALL,
        "opening 3000 small runs, process start to last point",
        (Bar(COLD, TENSORBOARD, at_most=1.0), Bar(WARM, TENSORBOARD, at_most=1.0)),
        rounds=3,
    ),
    opening(
        PICTURES,
        "opening 1 GB of pictures, process start to last step",
        (
            Bar(COLD, TENSORBOARD, at_most=1.0),
            Bar(COLD, TENSORBOARD, at_most=1.0, fact="memory_mb"),
            Fact(COLD, "points", SHAPES[PICTURES][2]),
        ),
        rounds=3,
    ),
    page(
        LINES,
        "300 runs of 5 tags and 500 points: process start to the first runs in headless Chromium",
        peers=True,
        bars=(Bar(PAGE, TENSORBOARD, at_most=1.0), Fact(PAGE, "has_no_task_over_100_ms", True)),
    ),
    page(
        SMALL,
        "3000 small runs: process start to the first runs in headless Chromium",
        peers=True,
        bars=(
            Bar(PAGE, TENSORBOARD, at_most=1.0),
            Fact(PAGE, "is_usable_in_2_s", True),
            Fact(PAGE, "has_no_task_over_100_ms", True),
        ),
    ),
    page(
        TABLE,
        "10,000 runs: process start to the first runs in headless Chromium",
        peers=False,
        bars=(Fact(PAGE, "has_no_task_over_100_ms", True),),
    ),
    Benchmark(
        name="board_wide_page",
        title="75,000 runs of 20 tags, with their index: process start to all runs in headless Chromium",
        contenders=(
            Script(
                PAGE,
                PROJECT,
                ("-m", "benchmarks.scripts.board_page", "tapeflow", WIDE, str(WIDE_INDEX)),
                times_itself=True,
            ),
        ),
        reference=PAGE,
        bars=(Fact(PAGE, "is_open_in_3_s", True),),
        rounds=1,
        unit="s",
        prepare=make_wide,
    ),
)
