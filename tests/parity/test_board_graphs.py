"""TensorBoard's routes of graphs, asked of TensorBoard and of the board on the same files.

The files in tests/data/graphs were written by TensorFlow, Keras and PyTorch; `make.py` there is how.
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

import pytest

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running
from tapeflow.summary.protos import message

DATA = Path(__file__).parents[1] / "data" / "graphs"
LIMIT = {"limit_attr_size": 60, "large_attrs_key": "_too_large_attrs"}


def log_with_tapeflow(folder: Path) -> None:
    """A graph of the run, and a trace of two functions, one of which calls another."""
    graph = message("GraphDef")()
    graph.versions.producer = 1
    graph.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    graph.node.add(name="scope/y", op="Const", input=["x", "^x"]).attr["value"].s = b"z" * 100
    metadata = message("RunMetadata")()
    for _ in range(2):
        metadata.function_graphs.add().pre_optimization_graph.CopyFrom(graph)
    called = metadata.function_graphs[1].pre_optimization_graph
    called.node.add(name="call", op="PartitionedCall", input=["x"]).attr["f"].func.name = "inner"
    called.library.function.add().signature.name = "inner"
    called.library.gradient.add(function_name="inner", gradient_func="inner_gradient")
    writer = summary.create_file_writer(folder)
    with writer.as_default():
        summary.graph(graph)
        summary.write(
            "both",
            metadata.SerializeToString(),
            step=0,
            metadata=_plugin("graph_run_metadata_graph"),
        )
        summary.write("unknown", b"?", step=0, metadata=_plugin("graph_run_metadata", b"7"))
    writer.close()


def _plugin(name: str, content: bytes = b"1") -> Any:
    found = message("SummaryMetadata")()
    found.plugin_data.plugin_name, found.plugin_data.content = name, content
    return found


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("logs")
    shutil.copytree(DATA, folder, dirs_exist_ok=True)
    log_with_tapeflow(folder / "own")
    settings = str(tmp_path_factory.mktemp("other") / "settings.json")
    running = Running([Logdir(str(folder))], BoardOptions(port=0, cache=None, settings=settings))
    thread = running.run_in_thread()
    try:
        with serve(folder) as theirs:
            runs = len([p for p in folder.iterdir() if p.is_dir()])
            theirs.wait_for(lambda: len(theirs.ask("data/plugin/graphs/info")) == runs)
            theirs.wait_for(lambda: ask(running.url.rstrip("/"), "api/v1/info")[0] == 200)
            theirs.wait_for(lambda: b'"is_done":true' in ask(running.url.rstrip("/"), "api/v1/info")[1])
            yield theirs.address, running.url.rstrip("/")
    finally:
        running.stop()
        thread.join(20)


def ask(address: str, route: str, **query: Any) -> tuple[int, bytes]:
    url = f"{address}/{route}?{urllib.parse.urlencode(query)}"
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("info", {}),
        *[("graph", {"run": run}) for run in ("functions", "torch", "session", "own")],
        ("graph", {"run": "session", **LIMIT}),
        ("graph", {"run": "own", **LIMIT}),
        ("graph", {"run": "trace", "tag": "my_trace"}),
        ("graph", {"run": "trace", "tag": "my_trace", **LIMIT}),
        ("graph", {"run": "own", "tag": "both"}),
        ("graph", {"run": "metadata", "tag": "rm"}),
        ("graph", {"run": "metadata", "tag": "rmg"}),
        ("graph", {"run": "keras2/train", "tag": "keras", "conceptual": "true"}),
        ("graph", {"run": "keras3/train", "tag": "keras", "conceptual": "true"}),
        ("run_metadata", {"run": "session", "tag": "step_1"}),
        ("run_metadata", {"run": "session", "tag": "step_2"}),
        ("run_metadata", {"run": "torch", "tag": "step1"}),
        ("run_metadata", {"run": "metadata", "tag": "rm"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())) or "all",
)
def test_the_same_answer(boards: tuple[str, str], route: str, query: dict[str, Any]) -> None:
    theirs, ours = (ask(address, f"data/plugin/graphs/{route}", **query) for address in boards)
    assert theirs[0] == 200
    if route == "info":
        assert json.loads(ours[1]) == json.loads(theirs[1])
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("graph", {}),
        ("graph", {"run": "own", "limit_attr_size": "many"}),
        ("graph", {"run": "no run"}),
        ("run_metadata", {"run": "session"}),
        ("run_metadata", {"tag": "step_1"}),
        ("run_metadata", {"run": "session", "tag": "step_9"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())) or "none",
)
def test_the_same_refusals(boards: tuple[str, str], route: str, query: dict[str, Any]) -> None:
    theirs, ours = (ask(address, f"data/plugin/graphs/{route}", **query) for address in boards)
    assert ours[0] == theirs[0]
    assert ours[0] in (400, 404)
