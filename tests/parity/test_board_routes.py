"""TensorBoard's read routes, asked of TensorBoard and of the board on the same folder."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX
from tensorboard.summary import Writer as TensorBoardWriter

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running

RUNS = ("größe 1/train", "tensorboard", "x")
PICTURES = np.random.default_rng(0).integers(0, 256, (2, 4, 5, 3), dtype=np.uint8)


def log_with_tapeflow(folder: Path) -> None:
    writer = summary.create_file_writer(folder)
    with writer.as_default():
        for step, value in enumerate([1.0, float("nan"), float("inf"), float("-inf"), 0.1]):
            summary.scalar("loss", value, step=step, description="the loss")
        summary.image("pictures", PICTURES, step=3)
        summary.image("pictures", PICTURES[:1], step=4)
        summary.audio("sound", np.zeros((2, 50, 1), np.float32), 8000, step=4)
        summary.text("note", "plain words", step=5)
        summary.text("list", np.array([["a", "b"], ["c", "d"]]), step=6)
    writer.close()


def log_with_tensorboard(folder: Path) -> None:
    writer = TensorBoardWriter(str(folder))
    for step in range(3):
        writer.add_scalar("loss", 1.0 / (step + 1), step, wall_time=2e9 + step)
    writer.flush()
    writer.close()


def log_with_tensorboardx(folder: Path) -> None:
    writer = tensorboardX.SummaryWriter(str(folder))
    for step in range(5):
        writer.add_scalar("loss", step * 2.0, step, walltime=3e9 + step)
    writer.add_image("old_picture", PICTURES[0], 2, dataformats="HWC")
    writer.add_text("note", "from x", 3)
    writer.close()


class Ours:
    """The board, asked over HTTP."""

    def __init__(self, address: str) -> None:
        self.address = address

    def raw(self, route: str, **query: Any) -> bytes:
        url = f"{self.address}{route}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read()

    def ask(self, route: str, **query: Any) -> Any:
        return json.loads(self.raw(route, **query))


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Any]) -> Iterator[tuple[Any, Any]]:
    """TensorBoard and the board, both having read the same files."""
    folder, other = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("other")
    for name, log in zip(RUNS, (log_with_tapeflow, log_with_tensorboard, log_with_tensorboardx), strict=True):
        log(folder / name)
    options = BoardOptions(port=0, cache=None, settings=str(other / "settings.json"))
    running = Running([Logdir(str(folder))], options)
    thread = running.run_in_thread()
    try:
        with serve(folder) as theirs:
            ours = Ours(running.url)
            theirs.wait_for(lambda: len(theirs.ask("data/plugin/scalars/tags")) == 3)
            theirs.wait_for(lambda: "x" in theirs.ask("data/plugin/text/tags"))
            theirs.wait_for(lambda: ours.ask("api/v1/info")["progress"]["is_done"])
            yield theirs, ours
    finally:
        running.stop()
        thread.join(20)


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("data/runs", {}),
        ("data/plugin/scalars/tags", {}),
        *[("data/plugin/scalars/scalars", {"run": run, "tag": "loss"}) for run in RUNS],
        ("data/plugin/images/tags", {}),
        ("data/plugin/audio/tags", {}),
        ("data/plugin/text/tags", {}),
        ("data/plugin/text/text", {"run": RUNS[0], "tag": "note"}),
        ("data/plugin/text/text", {"run": RUNS[0], "tag": "note", "markdown": "false"}),
        ("data/plugin/text/text", {"run": RUNS[0], "tag": "list"}),
        ("data/plugin/text/text", {"run": RUNS[0], "tag": "list", "markdown": "false"}),
        ("data/plugin/text/text", {"run": RUNS[2], "tag": "note/text_summary"}),
        ("data/plugin/text/text", {"run": "no run", "tag": "note"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value.values()) or "all",
)
def test_the_same_answer(boards: tuple[Any, Any], route: str, query: dict[str, str]) -> None:
    theirs, ours = boards
    assert ours.ask(route, **query) == theirs.ask(route, **query)


def test_environment_has_the_same_keys(boards: tuple[Any, Any]) -> None:
    theirs, ours = (board.ask("data/environment") for board in boards)
    assert ours.keys() == theirs.keys() - {"debug"}
    assert ours["data_location"] == theirs["data_location"]


def test_csv(boards: tuple[Any, Any]) -> None:
    query = {"run": RUNS[1], "tag": "loss", "format": "csv"}
    theirs, ours = (board.raw("data/plugin/scalars/scalars", **query) for board in boards)
    assert ours == theirs


def test_several_runs_at_once(boards: tuple[Any, Any]) -> None:
    body = urllib.parse.urlencode([("tag", "loss"), ("runs", RUNS[0]), ("runs", RUNS[2])]).encode()
    answers = []
    for board in boards:
        url = f"{board.address.rstrip('/')}/data/plugin/scalars/scalars_multirun"
        with urllib.request.urlopen(url, body, timeout=30) as answer:
            answers.append(json.loads(answer.read()))
    assert answers[0] == answers[1]
    assert set(answers[0]) == {RUNS[0], RUNS[2]}


@pytest.mark.parametrize(
    ("plugin", "single", "run", "tag", "sample"),
    [
        ("images", "individualImage", RUNS[0], "pictures", 0),
        ("images", "individualImage", RUNS[0], "pictures", 1),
        ("images", "individualImage", RUNS[2], "old_picture", 0),
        ("audio", "individualAudio", RUNS[0], "sound", 1),
    ],
)
def test_the_same_blobs(
    boards: tuple[Any, Any], plugin: str, single: str, run: str, tag: str, sample: int
) -> None:
    answers, blobs = [], []
    for board in boards:
        found = board.ask(f"data/plugin/{plugin}/{plugin}", run=run, tag=tag, sample=sample)
        queries = [dict(urllib.parse.parse_qsl(entry.pop("query"))) for entry in found]
        answers.append(found)
        blobs.append([board.raw(f"data/plugin/{plugin}/{single}", **query) for query in queries])
    assert answers[0] == answers[1]
    assert blobs[0] == blobs[1]
    assert blobs[0]
