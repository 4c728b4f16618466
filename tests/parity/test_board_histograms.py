"""TensorBoard's routes of histograms, distributions and meshes, asked of TensorBoard and of the board.

`tests/data/histograms` holds what TensorFlow 2.21 (with TensorBoard 2.21's `mesh_summary`) and PyTorch 2.13 wrote:

    rng = np.random.default_rng(0)
    data = [rng.normal(0, 1 + step, 500).astype(np.float32) for step in range(3)]
    points = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], np.float32)
    faces = np.array([[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]], np.int32)
    colors = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]], np.uint8)
    for step in range(3):
        tf.summary.histogram("weights", data[step], step=step)
    config = {"camera": {"cls": "PerspectiveCamera", "fov": 75}}
    mesh_summary.mesh("tetrahedron", points, faces, colors, config, step=2)

    for step in range(2):
        writer.add_histogram("weights", data[step], step)
    writer.add_mesh("tetrahedron", *map(torch.tensor, (points, colors, faces)), global_step=2)
"""

from __future__ import annotations

import shutil
import urllib.error
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

DATA = Path(__file__).parents[1] / "data" / "histograms"
RUNS = ("own", "tensorflow", "torch", "x")
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(2, 5, 3)).astype(np.float32)
TRIANGLES = RNG.integers(0, 5, (2, 4, 3)).astype(np.int32)
COLORS = RNG.integers(0, 256, (2, 5, 3)).astype(np.uint8)


def log_with_tapeflow(folder: Path) -> None:
    writer = summary.create_file_writer(folder)
    with writer.as_default():
        for step in range(4):
            summary.histogram("weights", RNG.normal(step, 2.0, 100), step=step, description="**why**")
        for tag, data in (("same", np.full(7, 3.0)), ("none", np.zeros(0)), ("counts", np.arange(9))):
            summary.histogram(tag, data, step=5, buckets=4)
        summary.histogram("no buckets", np.arange(9), step=5, buckets=0)
        for step in (1, 3):
            summary.mesh("cloud", POINTS + step, colors=COLORS, step=step)
        summary.mesh("body", POINTS, TRIANGLES, COLORS, {"camera": {"fov": 60}}, step=2)
    writer.close()


def log_with_tensorboardx(folder: Path) -> None:
    writer = tensorboardX.SummaryWriter(str(folder))
    for step in range(3):
        writer.add_histogram("weights", RNG.normal(0, 1 + step, 200), step)
    writer.add_histogram("auto", RNG.normal(size=50), 0, bins="auto")
    writer.add_mesh("tetrahedron", POINTS, faces=TRIANGLES, global_step=4)
    writer.close()


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Any]) -> Iterator[tuple[Any, Any]]:
    """TensorBoard and the board, both having read the same files."""
    folder, other = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("other")
    log_with_tapeflow(folder / "own")
    log_with_tensorboardx(folder / "x")
    for writer in ("tensorflow", "torch"):
        shutil.copytree(DATA / writer, folder / writer)
    options = BoardOptions(port=0, cache=None, settings=str(other / "settings.json"))
    running = Running([Logdir(str(folder))], options)
    thread = running.run_in_thread()
    try:
        with serve(folder) as theirs:
            ours = type(theirs)(running.options.port)
            theirs.wait_for(lambda: len(theirs.ask("data/plugin/histograms/tags")) == len(RUNS))
            theirs.wait_for(lambda: len(theirs.ask("data/plugin/mesh/tags")) == len(RUNS))
            theirs.wait_for(lambda: ours.ask("api/v1/info")["progress"]["is_done"])
            yield theirs, ours
    finally:
        running.stop()
        thread.join(20)


@pytest.mark.parametrize("plugin", ["histograms", "distributions", "mesh"])
def test_the_same_tags(boards: tuple[Any, Any], plugin: str) -> None:
    theirs, ours = (board.ask(f"data/plugin/{plugin}/tags") for board in boards)
    if plugin != "mesh":  # the board shows descriptions without Markdown
        theirs["own"]["weights"]["description"] = ours["own"]["weights"]["description"]
    assert ours == theirs


@pytest.mark.parametrize("plugin", ["histograms", "distributions"])
@pytest.mark.parametrize(
    ("run", "tag"),
    [
        *((run, "weights") for run in RUNS),
        *(("own", tag) for tag in ("same", "none", "counts", "no buckets")),
        ("x", "auto"),
    ],
)
def test_the_same_histograms(boards: tuple[Any, Any], plugin: str, run: str, tag: str) -> None:
    theirs, ours = (board.ask(f"data/plugin/{plugin}/{plugin}", run=run, tag=tag) for board in boards)
    assert len(ours) > 0
    assert ours == theirs


@pytest.mark.parametrize(
    ("run", "tag"), [("own", "cloud"), ("own", "body"), *((run, "tetrahedron") for run in RUNS[1:])]
)
def test_the_same_meshes(boards: tuple[Any, Any], run: str, tag: str) -> None:
    theirs, ours = (board.ask("data/plugin/mesh/meshes", run=run, tag=tag) for board in boards)
    assert len(ours) > 0
    assert ours == theirs
    for part in ("VERTEX", "FACE", "COLOR"):
        query = {"run": run, "tag": tag, "content_type": part, "step": ours[-1]["step"], "sample": 0}
        their_data, our_data = (board.raw("data/plugin/mesh/data", **query) for board in boards)
        assert our_data == their_data
        assert our_data or part == "FACE" or run == "x"


def test_what_is_not_there(boards: tuple[Any, Any]) -> None:
    for board in boards:
        assert board.ask("data/plugin/mesh/meshes", run="own", tag="no tag") == []
        for route, query in (
            ("histograms/histograms", {"tag": "no tag"}),
            ("distributions/distributions", {"tag": "no tag"}),
            ("mesh/data", {"tag": "body", "content_type": "SMELL"}),
        ):
            with pytest.raises(urllib.error.HTTPError, match="40[04]"):
                board.raw(f"data/plugin/{route}", run="own", **query)
