"""A training over several processes, killed at any moment and started again with another number of them."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

import tapeflow as tf

PROGRAM = Path(__file__).parent / "programs" / "elastic.py"
STEPS = 24
TIMEOUT_S = 180
KILLS = 100


class Launch:
    """`tapeflow launch` of the training, and what it says."""

    def __init__(self, folder: Path, count: int, pace_s: float = 0.0) -> None:
        folder.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "tapeflow.cli", "launch", "-n", str(count), "--grace", "10"]
        self.process = subprocess.Popen(
            [*command, str(PROGRAM), str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PACE_S": str(pace_s)},
        )
        self.said: list[str] = []

    def wait_for_steps(self, count: int) -> None:
        """Wait until the first process has run so many steps, or has ended."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            count -= line == "[0] step 0\n"
            if count <= 0:
                return

    def workers(self) -> list[psutil.Process]:
        """The processes that are there, in the order of their numbers."""
        try:
            return psutil.Process(self.process.pid).children()
        except psutil.NoSuchProcess:
            return []

    def end(self) -> tuple[int, str]:
        """Wait for the end; gives the exit code and what was said."""
        try:
            self.said.append(self.process.communicate(timeout=TIMEOUT_S)[0])
        finally:
            self.process.kill()
        return self.process.returncode, "".join(self.said)


def finish(folder: Path, count: int) -> dict[str, Any]:
    """Train to the end; gives what came out."""
    code, said = Launch(folder, count).end()
    assert code == 0, said
    return result(folder)


def result(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())


def steps_logged(folder: Path) -> list[tuple[int, float]]:
    """The loss of each step that the event files hold, once for each time that it is there."""
    found = []
    for path in sorted((folder / "logs" / "train").iterdir()):
        if "tfevents" not in path.name:
            continue
        events = EventAccumulator(str(path), size_guidance={"tensors": 0, "scalars": 0}).Reload()
        for tag in events.Tags()["tensors"]:
            if tag in ("batch_loss", "epoch_loss"):
                found += [(e.step, float(make_ndarray(e.tensor_proto))) for e in events.Tensors(tag)]
    return sorted(found)


def check(folder: Path, whole: Path, is_same_size: bool) -> None:
    """What came out is what comes out of a training that nobody has disturbed."""
    found, expected = result(folder), result(whole)
    if is_same_size:
        assert found == expected
    for name, values in expected["history"].items():
        np.testing.assert_allclose(found["history"][name], values, atol=1e-6, err_msg=name)
    for own, wanted in zip(found["weights"], expected["weights"], strict=True):
        np.testing.assert_allclose(own, wanted, atol=1e-6)
    logged, wanted = steps_logged(folder), steps_logged(whole)
    assert [step for step, _ in logged] == [step for step, _ in wanted]
    np.testing.assert_allclose([v for _, v in logged], [v for _, v in wanted], atol=1e-6)
    lines = (folder / "log.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["epoch", "0", "1", "2", "3"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of one process that nobody has disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    finish(folder, 1)
    assert len([step for step, _ in steps_logged(folder)]) >= STEPS
    return folder


def test_killed_at_other_sizes(tmp_path: Path, whole: Path) -> None:
    folder = tmp_path / "training"
    first = Launch(folder, 2, 0.05)
    first.wait_for_steps(5)
    first.workers()[1].kill()
    code, said = first.end()
    assert code == 137
    assert "A strategy expected all of its 2 workers to go on; one of them was lost" in said
    second = Launch(folder, 1, 0.05)
    second.wait_for_steps(4)
    second.process.kill()
    second.end()
    third = Launch(folder, 2, 0.05)
    third.wait_for_steps(3)
    third.workers()[1].terminate()  # as a scheduler does that wants this host alone
    code, said = third.end()
    assert code == 143
    assert said.count("SIGTERM: training is saved in") == 2
    finish(folder, 1)
    check(folder, whole, is_same_size=False)


@pytest.mark.slow
def test_killed_at_the_same_size(tmp_path: Path) -> None:
    finish(tmp_path / "whole", 2)
    folder = tmp_path / "training"
    for victim in (0, 1, None, 1):
        launch = Launch(folder, 2, 0.05)
        launch.wait_for_steps(5)
        launch.workers()[victim].kill() if victim is not None else launch.process.kill()
        launch.end()
    finish(folder, 2)
    check(folder, tmp_path / "whole", is_same_size=True)
    # Both have logged into one folder: the first scalars, and each what its machine does.
    assert {run.name for run in (folder / "logs").iterdir()} == {"train", "process1"}
    assert "epoch_loss" in tf.summary.read(folder / "logs" / "train")
    assert list(tf.summary.read(folder / "logs" / "process1")) == []
    for run in ("train", "process1"):
        assert "system/cpu" in tf.summary.read(folder / "logs" / run).captured.system


@pytest.mark.slow
def test_a_worker_that_hangs_is_named_and_training_goes_on(tmp_path: Path) -> None:
    def train(folder: Path) -> tuple[str, str]:
        folder.mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "tapeflow.cli", "launch", "-n", "2", "--restarts", "1", "--grace", "2"]
            + [str(PROGRAM.with_name("hanging.py")), str(folder)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[-1], done.stderr

    losses, said = train(tmp_path)
    host = re.escape(socket.gethostname())
    named = rf"process 0 has waited \d+ s for process 1 \({host}\), which has been in hanging.py:\d+, wait_for_ever for"
    assert re.search(named, said), said
    assert "starting all 2 processes again, restart 1 of 1" in said
    (tmp_path / "undisturbed").mkdir()
    (tmp_path / "undisturbed" / "hung").touch()
    expected, said = train(tmp_path / "undisturbed")
    assert "has waited" not in said
    assert losses == expected


@pytest.mark.slow
def test_many_random_kills(tmp_path: Path, whole: Path) -> None:
    chance = random.Random(0)
    kills = round_ = 0
    while kills < KILLS:
        folder = tmp_path / f"training{round_}"
        round_ += 1
        for _ in range(5):
            count, pace_s = chance.choice((1, 2, 4)), chance.choice((0.0, 0.02, 0.05))
            launch = Launch(folder, count, pace_s)
            if chance.random() < 0.8:
                launch.wait_for_steps(chance.randrange(1, 8))
            else:
                time.sleep(chance.uniform(0.5, 5))  # while they start
            time.sleep(chance.uniform(0, 0.1))
            workers = launch.workers()
            kills += bool(workers) and launch.process.poll() is None
            how = chance.choice(("one", "all", "term"))
            if how == "all" or not workers:
                launch.process.kill()
            else:
                chosen = chance.choice(workers)
                chosen.send_signal(signal.SIGKILL if how == "one" else signal.SIGTERM)
            code, said = launch.end()
            if code == 0:
                break
        else:
            code, said = Launch(folder, chance.choice((1, 2, 4))).end()
        assert code == 0, said
        check(folder, whole, is_same_size=False)
