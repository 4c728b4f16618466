"""Trainings that are killed at any moment, and end as if they had not been."""

from __future__ import annotations

import os
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
KINDS = ("mlp", "cnn", "augmented")
TIMEOUT_S = 120


def begin(kind: str, folder: Path) -> subprocess.Popen[str]:
    """A process that trains, at the moment when `fit` is called."""
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), kind, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


def finish(kind: str, folder: Path) -> None:
    process = begin(kind, folder)
    _, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, errors


def end(process: subprocess.Popen[str], number: int) -> str:
    """Send a signal and wait; what it said."""
    process.send_signal(number)
    return process.communicate(timeout=TIMEOUT_S)[1]


def wait_for(is_true: Callable[[], bool]) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.005)


def steps_of(folder: Path) -> dict[tuple[str, str], list[int]]:
    """The steps of every series below a folder, as TensorBoard shows them."""
    found: dict[tuple[str, str], list[int]] = {}
    for run in sorted(folder.iterdir()):
        events = EventAccumulator(str(run), size_guidance={"tensors": 0})
        events.Reload()
        for tag in events.Tags()["tensors"]:
            found[run.name, tag] = [event.step for event in events.Tensors(tag)]
    return found


def assert_same(folder: Path, wanted: Path) -> None:
    assert (folder / "result").read_text() == (wanted / "result").read_text()
    assert (folder / "log.csv").read_text() == (wanted / "log.csv").read_text()
    assert steps_of(folder / "logs") == steps_of(wanted / "logs")
    assert list((folder / "backup").iterdir()) == []


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


def test_killed_and_terminated(uninterrupted: Callable[[str], Path], tmp_path: Path) -> None:
    kind = "augmented"
    process = begin(kind, tmp_path)
    wait_for(lambda: any((tmp_path / "backup").glob("training_state*")))
    end(process, signal.SIGKILL)
    process = begin(kind, tmp_path)
    time.sleep(0.1)
    said = end(process, signal.SIGTERM)
    assert process.returncode == 128 + signal.SIGTERM
    assert "SIGTERM: saving the training after this step" in said
    assert "SIGTERM: training is saved in" in said
    finish(kind, tmp_path)
    assert_same(tmp_path, uninterrupted(kind))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_random_moments(kind: str, uninterrupted: Callable[[str], Path], tmp_path: Path) -> None:
    wanted = uninterrupted(kind)
    moments = random.Random(KINDS.index(kind))
    kills = rounds = 0
    while kills < 40:
        folder = tmp_path / str(rounds)
        rounds += 1
        for _ in range(6):
            process = begin(kind, folder)
            time.sleep(moments.random() * 1.2)
            if process.poll() is None:
                kills += 1
            end(process, signal.SIGKILL) if process.poll() is None else process.communicate()
            if (folder / "result").exists():
                break
        else:
            finish(kind, folder)
        assert_same(folder, wanted)


@pytest.mark.slow
def test_a_second_sigterm_ends_at_once(tmp_path: Path) -> None:
    process = begin("mlp", tmp_path)
    os.kill(process.pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + signal.SIGTERM
    assert not (tmp_path / "result").exists()
