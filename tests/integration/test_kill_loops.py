"""Hand-written loops that are killed at any moment, and end as if they had not been: every bit of them."""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "programs" / "interrupted_loop.py"
# What is checked in `make test`; the issue is the first step after a restore.
RESUMED = ("function-outside-schedule", "reading-outside-late-schedule-printed")
KINDS = (
    "plain",
    "function-outside-schedule",
    "outside-schedule-metrics",
    "function-outside-schedule-async-printed",
    "function-inside-adamw-metrics-async",
    "inside-schedule-sgd-augmented-kept",
    "function-late-probe-outside-schedule-generator",
    "late-outside-own-schedule-metrics-async",
    "inner-stateless-schedule-metrics-probe",
    "inner-late-mixed-stateless-printed",
    "reading-outside-schedule-printed",
    "reading-late-inside-sgd-async",
    "on_batch-outside-schedule-printed",
    "mixed-function-outside-schedule",
    "mixed-outside-metrics-kept-async",
    "together-outside-schedule-metrics",
    "function-together-fading-outside",
    "conv-function-outside-schedule-kept",
    "conv-outside-wide-augmented-late-async",
    "recurrent-function-outside-metrics",
    "raw-outside-printed",
    "raw-function-fading-outside-write",
    "function-own-schedule-outside-write-augmented",
)
KILLS = 6  # of each kind, at random moments
KILLS_IN_A_ROW = 3
# Where a loop is killed, and how often it is there at most by then: while Python starts, while the first step is
# compiled, after a step, while a checkpoint is written.
PLACES = {"start": 1, "ready": 1, "step": 10, "save": 3}
CHANGED = ("function-outside-schedule-async-printed", "outside-schedule-metrics", "raw-outside-write-printed")
FEWEST_CHANGES = 12  # of files, in a loop
TIMEOUT_S = 240


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> object:
    """One folder of compiled programs for all processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAPEFLOW_CACHE", str(tmp_path_factory.mktemp("compiled")))
        yield


def begin(kind: str, folder: Path, *more: int) -> subprocess.Popen[str]:
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(SCRIPT), kind, str(folder), *map(str, more)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> bool:
    """Wait for a loop; whether it ended by itself, which it must do well, or was killed."""
    errors = process.communicate(timeout=TIMEOUT_S)[1]
    assert process.returncode in (0, -signal.SIGKILL), errors
    return process.returncode == 0


def finish(kind: str, folder: Path) -> None:
    assert ended(begin(kind, folder))


def kill(process: subprocess.Popen[str], moments: random.Random) -> bool:
    """Kill a loop at a random moment; False if it ended before."""
    place = moments.choice([*PLACES, "step", "save"])
    times, later_s = moments.randint(1, PLACES[place]), moments.random()
    if place == "start":
        time.sleep(2 * later_s)
    else:
        assert process.stdout is not None
        for line in process.stdout:
            times -= line == f"{place}\n"
            if not times:
                time.sleep(later_s * (0.5 if place == "ready" else 0.012))
                break
    process.kill()
    return not ended(process)


def assert_same(folder: Path, wanted: Path) -> None:
    assert (folder / "result").read_text().split("\n") == (wanted / "result").read_text().split("\n")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a loop of a kind that nobody interrupted."""
    made: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("uninterrupted")
            finish(kind, made[kind])
        return made[kind]

    return folder


@pytest.mark.parametrize("kind", RESUMED)
def test_killed_and_resumed(kind: str, uninterrupted: Callable[[str], Path], tmp_path: Path) -> None:
    process = begin(kind, tmp_path)
    assert process.stdout is not None
    assert any(line == "save\n" for line in process.stdout)
    assert any(line == "step\n" for line in process.stdout)
    process.kill()
    assert not ended(process)
    finish(kind, tmp_path)
    assert_same(tmp_path, uninterrupted(kind))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_random_moments(kind: str, uninterrupted: Callable[[str], Path], tmp_path: Path) -> None:
    wanted = uninterrupted(kind)
    moments = random.Random(kind)
    kills = rounds = 0
    while kills < KILLS:
        folder = tmp_path / str(rounds)
        rounds += 1
        for _ in range(KILLS_IN_A_ROW):
            kills += kill(begin(kind, folder), moments)
            if (folder / "result").exists():
                break
        else:
            finish(kind, folder)
        assert_same(folder, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHANGED)
def test_killed_before_each_change_of_a_file(
    kind: str, uninterrupted: Callable[[str], Path], tmp_path: Path
) -> None:
    wanted = uninterrupted(kind)
    for change in itertools.count(1):
        folder = tmp_path / str(change)
        has_ended = ended(begin(kind, folder, -1, change))  # there were not so many changes
        if not has_ended:
            finish(kind, folder)
        assert_same(folder, wanted)
        if has_ended:
            break
    assert change > FEWEST_CHANGES
