"""TensorBoard's routes of PR curves and custom scalars, asked of TensorBoard and of the board on the same folder.

`tests/data/pr_curves` holds what PyTorch wrote:

    with SummaryWriter("torch") as writer:
        rng = np.random.default_rng(0)
        for step in range(3):
            labels = rng.random(200) < 0.4
            scores = np.clip(rng.normal(0.3 + 0.3 * labels, 0.2), 0, 1)
            writer.add_pr_curve("cat", labels, scores, step, num_thresholds=21)
        for step in range(20):
            for name, factor in {"mean": 1, "low": 0.8, "high": 1.5}.items():
                writer.add_scalar(f"loss/{name}", factor / (step + 1), step)
        margin, lines = ["Margin", ["loss/mean", "loss/low", "loss/high"]], ["Multiline", ["loss/(low|high)"]]
        writer.add_custom_scalars({"losses": {"spread": margin, "edges": lines}})
"""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running
from tapeflow.plugins.custom_scalar import layout_pb2
from tapeflow.plugins.custom_scalar import summary as custom_scalar

DATA = Path(__file__).resolve().parents[1] / "data" / "pr_curves"
LABELS = np.random.default_rng(1).random(100) < 0.3
SCORES = np.clip(np.random.default_rng(2).normal(0.3 + 0.3 * LABELS, 0.2), 0, 1).astype(np.float32)


def log_with_tapeflow(folder: Path) -> None:
    chart = layout_pb2.Chart(title="all", multiline=layout_pb2.MultilineChartContent(tag=["loss.*"]))
    category = layout_pb2.Category(title="losses", chart=[chart], closed=True)
    writer = summary.create_file_writer(folder)
    with writer.as_default():
        for step in range(4):
            summary.pr_curve(
                "is cat", LABELS, SCORES**step, step=step, num_thresholds=11, description="a cat"
            )
            summary.pr_curve("weighted", LABELS, SCORES, step=step, weights=SCORES)
            summary.scalar("loss/mean", [1.0, float("nan"), float("inf"), 0.5][step], step=step)
        custom_scalar.op(layout_pb2.Layout(category=[category]))
    writer.close()


def log_with_tensorboardx(folder: Path) -> None:
    with tensorboardX.SummaryWriter(str(folder)) as writer:
        writer.add_pr_curve("cat", LABELS.astype(int), SCORES, 7, num_thresholds=31, weights=2.0)
        writer.add_pr_curve("none", np.zeros(5, int), np.zeros(5), 7)
        writer.add_scalar("dow/a", 1.0, 1)
        writer.add_custom_scalars({"stocks": {"dow": ["Margin", ["dow/a", "dow/b", "dow/c"]]}})


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Any]) -> Iterator[tuple[Any, Any]]:
    """TensorBoard and the board, both having read the same files."""
    folder, other = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("other")
    log_with_tapeflow(folder / "mine")
    log_with_tensorboardx(folder / "x")
    shutil.copytree(DATA, folder / "torch")
    options = BoardOptions(port=0, cache=None, settings=str(other / "settings.json"))
    running = Running([Logdir(str(folder))], options)
    thread = running.run_in_thread()
    try:
        with serve(folder) as theirs:
            ours = type(theirs)(running.options.port)
            theirs.wait_for(lambda: len(theirs.ask("data/plugin/pr_curves/tags")) == 3)
            theirs.wait_for(lambda: len(theirs.ask("data/plugin/custom_scalars/layout")["category"]) == 2)
            theirs.wait_for(lambda: ours.ask("api/v1/info")["progress"]["is_done"])
            yield theirs, ours
    finally:
        running.stop()
        thread.join(20)


CURVES = "data/plugin/pr_curves/pr_curves"
CUSTOM = "data/plugin/custom_scalars"


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("data/plugin/pr_curves/tags", {}),
        (CURVES, {"run": "mine", "tag": "is cat/pr_curves"}),
        (CURVES, {"run": "mine", "tag": "weighted/pr_curves"}),
        (CURVES, {"run": "x", "tag": "none"}),
        (CURVES, {"run": ["x", "torch"], "tag": "cat"}),
        (f"{CUSTOM}/layout", {}),
        (f"{CUSTOM}/scalars", {"run": "mine", "tag": "loss.*"}),
        (f"{CUSTOM}/scalars", {"run": "torch", "tag": ".*(low|high)+"}),
        (f"{CUSTOM}/scalars", {"run": "torch", "tag": "oss"}),
        (f"{CUSTOM}/scalars", {"run": "torch", "tag": "("}),
        (f"{CUSTOM}/scalars", {"run": "torch", "tag": ""}),
        (f"{CUSTOM}/scalars", {"run": "none", "tag": "loss"}),
        (f"{CUSTOM}/download_data", {"run": "torch", "tag": "loss/low"}),
        (f"{CUSTOM}/download_data", {"run": "mine", "tag": "loss/mean", "format": "json"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())) or "all",
)
def test_the_same_answer(boards: tuple[Any, Any], route: str, query: dict[str, Any]) -> None:
    theirs, ours = (json.loads(_raw(board, route, query)) for board in boards)
    assert ours == theirs
    assert ours


def _raw(board: Any, route: str, query: dict[str, Any]) -> bytes:
    """A question that may name several runs."""
    url = f"{board.address}/{route}?{urllib.parse.urlencode(query, doseq=True)}"
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read()


def test_csv(boards: tuple[Any, Any]) -> None:
    query = {"run": "torch", "tag": "loss/low", "format": "csv"}
    theirs, ours = (board.raw(f"{CUSTOM}/download_data", **query) for board in boards)
    assert ours == theirs


@pytest.mark.parametrize(
    "query",
    [{"run": "x", "tag": "no such"}, {"run": "no such", "tag": "cat"}],
    ids=lambda query: "-".join(query.values()),
)
def test_the_same_refusal(boards: tuple[Any, Any], query: dict[str, str]) -> None:
    codes = []
    for board in boards:
        with pytest.raises(urllib.error.HTTPError) as refusal:
            board.raw(CURVES, **query)
        codes.append(refusal.value.code)
    assert codes == [400, 400]
