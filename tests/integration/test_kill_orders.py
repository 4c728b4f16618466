"""`fit` with many callbacks in any order, killed before any change to the disk, ends as if it had not been."""

from __future__ import annotations

import collections
import io
import itertools
import random
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event

SCRIPT = Path(__file__).parent / "programs" / "ordered_training.py"
TIMEOUT_S = 300
KINDS = (
    "mlp",
    "augmented",
    "cnn",
    "generator",
    "mixed",
    "accumulated",
    "interleaved",
    "pair",
    "threads",
    "lengths",
)
# A letter is a callback of `ordered_training.py`; upper and lower case are two ways to use one.
BACKUPS, LOGS, TABLES, OTHERS = "BbK", "Tt", "Cc", "EHMOWNnUL"
CASES = 44
KILLS_IN_A_ROW = (3, 2)  # of each case, in a folder each


def train(kind: str, order: str, folder: Path, kill_at: int = 0) -> int:
    """Train in a process; how often it changed something on disk, or 0 if it was killed."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(SCRIPT), kind, order, str(folder), str(kill_at)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode == -signal.SIGKILL:
        return 0
    assert done.returncode == 0, done.stderr
    return int(done.stdout.splitlines()[-1])


def has_ended(folder: Path) -> bool:
    """Whether there is nothing to go on with: the result is written and the training's state is gone."""
    return (folder / "result").exists() and not any(folder.rglob("*training_state.safetensors"))


def arrays(file: Any) -> dict[str, Any]:
    """What an HDF5 file holds, but for its attributes."""
    found: dict[str, Any] = {}
    with h5py.File(file) as opened:
        opened.visititems(
            lambda name, x: found.update({name: np.asarray(x)}) if hasattr(x, "dtype") else None
        )
    return {name: (x.dtype.str, x.shape, x.tobytes()) for name, x in found.items()}


def content(file: Path) -> Any:
    """A file without what says when it was written."""
    if file.suffix == ".keras":
        with zipfile.ZipFile(file) as archive:
            weights = arrays(io.BytesIO(archive.read("model.weights.h5")))
            return archive.read("config.json"), weights
    if file.suffix == ".h5":
        return arrays(file)
    if file.name == "checkpoint":
        return file.read_text().splitlines()[0]
    return file.read_bytes()


def events(folder: Path) -> Iterator[Any]:
    """What was logged below a folder: each value with its step, and that there is a graph."""
    for file in folder.rglob("events.out.tfevents.*"):
        for data in RawEventFileLoader(str(file)).Load():
            event = Event.FromString(data)
            for value in event.summary.value:
                about = value.metadata.plugin_data.plugin_name
                if about.startswith("tapeflow_"):
                    continue  # captured: it belongs to the process, not to the training
                data = "" if about == "hparams" else value.tensor.SerializeToString()
                yield file.parent.name, value.tag, event.step, data
            if event.graph_def:
                yield file.parent.name, "graph", event.step, ""


def outcome(folder: Path) -> dict[str, Any]:
    """All that a training left."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != ".continued"]
    logs = collections.Counter(events(folder))
    found = {str(file.relative_to(folder)): content(file) for file in files if ".tfevents." not in file.name}
    return {**found, "events": sorted(map(repr, logs.items()))}


def assert_same(folder: Path, wanted: dict[str, Any]) -> None:
    found = outcome(folder)
    assert sorted(found) == sorted(wanted)
    for name, value in wanted.items():
        assert found[name] == value, name
    assert not [name for name in found if name.endswith(".tmp")]


def kill_and_go_on(kind: str, order: str, folder: Path, points: list[int]) -> int:
    """Train, be killed at these points, one after another, and end; how often it was killed."""
    kills = 0
    for point in points:
        if not train(kind, order, folder, point):
            kills += 1
            if not has_ended(folder):
                continue
        return kills
    train(kind, order, folder)
    return kills


def cases(seed: str) -> Iterator[tuple[str, str]]:
    """Kinds of training, and callbacks in an order, without end."""
    chance = random.Random(seed)
    for kind in itertools.cycle(KINDS):
        backups = BACKUPS.replace("K", "") if kind == "pair" else BACKUPS  # which cannot be saved whole
        letters = [chance.choice(backups), chance.choice(LOGS), chance.choice(TABLES)]
        others = OTHERS if kind in ("accumulated", "pair") else f"{OTHERS}R"  # these have no rate to reduce
        others = others.translate(dict.fromkeys(map(ord, "MOn"))) if kind == "pair" else others
        letters += chance.sample(others, chance.randint(3, len(others)))
        chance.shuffle(letters)
        yield kind, "".join(letters)


def test_killed_twice(tmp_path: Path) -> None:
    order = "BMTCHE"
    count = train("mlp", order, tmp_path / "whole")
    wanted = outcome(tmp_path / "whole")
    assert kill_and_go_on("mlp", order, tmp_path / "killed", [count * 2 // 3, count // 3]) == 2
    assert_same(tmp_path / "killed", wanted)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "order"), list(itertools.islice(cases("any order"), CASES)))
def test_killed_in_any_order_of_callbacks(kind: str, order: str, tmp_path: Path) -> None:
    count = train(kind, order, tmp_path / "whole")
    wanted = outcome(tmp_path / "whole")
    chance = random.Random(kind + order)
    for number, kills in enumerate(KILLS_IN_A_ROW):
        points = [chance.randint(1, max(count // (1 + i), 1)) for i in range(kills)]
        kill_and_go_on(kind, order, tmp_path / str(number), points)
        assert_same(tmp_path / str(number), wanted)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["BM", "cTB", "HB", "K"])
def test_killed_at_every_point(order: str, tmp_path: Path) -> None:
    count = train("mlp", order, tmp_path / "whole")
    wanted = outcome(tmp_path / "whole")
    for point in range(1, count + 1):
        folder = tmp_path / str(point)
        kill_and_go_on("mlp", order, folder, [point])
        assert_same(folder, wanted)
