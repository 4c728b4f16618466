"""Trainings that are killed at any moment, and end as if they had not been."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

SCRIPT = Path(__file__).parent / "programs" / "interrupted_training.py"
KINDS = (
    "mlp",
    "cnn",
    "augmented",
    "threads",
    "interleaved",
    "lengths",
    "generator",
    "mixed",
    "accumulated",
    "pair",
    "checkpointed",
    "loop",
    "by_hand",
)
# Where a training is killed, and how often it is there at most by then: while Python starts, in the first compilation,
# after a step, in a validation, at the end of an epoch, while a file is written.
PLACES = {"start": 1, "ready": 1, "step": 60, "validation": 3, "epoch": 3, "save": 15}
KILLS = 12  # of each kind
KILLS_IN_A_ROW = 4
TIMEOUT_S = 120


def begin(kind: str, folder: Path) -> subprocess.Popen[str]:
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), kind, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(kind: str, folder: Path) -> None:
    process = begin(kind, folder)
    _, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, errors


def end(process: subprocess.Popen[str], number: int) -> str:
    """Send a signal and wait; what it said."""
    process.send_signal(number)
    return process.communicate(timeout=TIMEOUT_S)[1]


CAPTURED = ("tapeflow_run", "tapeflow_system")


def wait_for(process: subprocess.Popen[str], place: str, times: int = 1) -> bool:
    """Wait until a training says so often that it is somewhere; whether it did before it ended."""
    assert process.stdout is not None
    for line in process.stdout:
        times -= line == f"{place}\n"
        if not times:
            return True
    return False


def wait_for_a_save(process: subprocess.Popen[str], folder: Path, times: int) -> bool:
    """Wait until a training has written so many files, and writes another one."""
    seen: set[Path] = set()
    while process.poll() is None:
        seen.update(folder.rglob(".*.tmp"))
        if len(seen) >= times:
            return True
        time.sleep(0.0005)
    return False


def kill(process: subprocess.Popen[str], folder: Path, moments: random.Random) -> bool:
    """Kill a training at a random moment; False if it ended before."""
    place, later_s = moments.choice([*PLACES, "step", "save"]), moments.random()
    times = moments.randint(1, PLACES[place])
    if place == "start":
        came, later_s = True, later_s * 2
    elif place == "save":
        came, later_s = wait_for_a_save(process, folder, times), later_s * 0.01
    else:
        came, later_s = wait_for(process, place, times), later_s * (0.5 if place == "ready" else 0.01)
    if came:
        time.sleep(later_s)
    came = came and process.poll() is None
    errors = end(process, signal.SIGKILL) if came else process.communicate(timeout=TIMEOUT_S)[1]
    assert came or process.returncode == 0, errors
    return came


def steps_of(folder: Path) -> dict[tuple[str, str], list[int]]:
    """The steps of every series below a folder, as TensorBoard shows them; what runs capture by themselves is left out.

    That belongs to the process, not to the training: every process has its own.
    """
    found: dict[tuple[str, str], list[int]] = {}
    for run in sorted(folder.iterdir()):
        events = EventAccumulator(str(run), size_guidance={"tensors": 0})
        events.Reload()
        for tag in events.Tags()["tensors"]:
            if events.SummaryMetadata(tag).plugin_data.plugin_name in CAPTURED:
                continue
            found[run.name, tag] = [event.step for event in events.Tensors(tag)]
    return found


def assert_same(folder: Path, wanted: Path) -> None:
    assert (folder / "result").read_text() == (wanted / "result").read_text()
    if (wanted / "logs").exists():
        assert (folder / "log.csv").read_text() == (wanted / "log.csv").read_text()
        assert steps_of(folder / "logs") == steps_of(wanted / "logs")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a training of a kind that nobody interrupted."""
    made: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind)
            finish(kind, made[kind])
        return made[kind]

    return folder


def terminate(kind: str, folder: Path, steps: int) -> None:
    process = begin(kind, folder)
    assert wait_for(process, "step", steps)
    said = end(process, signal.SIGTERM)
    assert process.returncode == 128 + signal.SIGTERM, said
    assert "SIGTERM: saving the training after this step" in said
    assert said.rstrip().splitlines()[-1].startswith("SIGTERM: ")
    assert not (folder / "result").exists()


def test_killed_and_terminated(uninterrupted: Callable[[str], Path], tmp_path: Path) -> None:
    kind = "augmented"
    process = begin(kind, tmp_path)
    assert wait_for(process, "step", 25)
    end(process, signal.SIGKILL)
    terminate(kind, tmp_path, 5)
    finish(kind, tmp_path)
    assert_same(tmp_path, uninterrupted(kind))
    assert list((tmp_path / "backup").iterdir()) == []


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
            kills += kill(begin(kind, folder), folder, moments)
            if (folder / "result").exists():
                break
        else:
            finish(kind, folder)
        assert_same(folder, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "by_hand"])
def test_terminated(kind: str, uninterrupted: Callable[[str], Path], tmp_path: Path) -> None:
    for steps in (1, 30):
        terminate(kind, tmp_path, steps)
    finish(kind, tmp_path)
    assert_same(tmp_path, uninterrupted(kind))
