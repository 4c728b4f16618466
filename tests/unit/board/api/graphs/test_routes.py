"""What the page asks for: graphs in columns, and single nodes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board.export import collect
from tapeflow.board.logdirs import run_id
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record
from tapeflow.summary.protos import message

DATA = Path(__file__).parents[4] / "data" / "graphs"


@pytest.fixture
def client(tmp_path: Path, serve: Callable[..., Any]) -> Any:
    shutil.copytree(DATA, tmp_path / "logs")
    found = serve(tmp_path / "logs")
    found.wait_until_read()
    return found


def blob(client: Any, run: str, tag: str) -> Any:
    items = client.get("api/v1/graphs/items", run=run_id(run), tag=tag)["items"]
    return client.get(items[-1]["samples"][0]["url"])


def facts(found: Any) -> dict[str, tuple[str, str, int]]:
    """Op, output shapes and parameters of nodes, by name."""
    texts = found["texts"]
    columns = zip(found["names"], found["ops"], found["outputs"], found["parameters"], strict=True)
    return {name: (texts[op], texts[output], count) for name, op, output, count in columns}


@pytest.mark.parametrize("run", ["keras2/train", "keras3/train"])
def test_a_model_of_keras(client: Any, run: str) -> None:
    found = blob(client, run, "keras")
    assert found["kind"] == "model"
    nodes = facts(found)
    assert nodes["dense_a"] == ("Dense", "?×32", 544)
    assert nodes["sub/s2"] == ("Dense", "?×4", 36)
    names = found["names"]
    pairs = {(names[a], names[b]) for a, b in zip(found["sources"], found["targets"], strict=True)}
    assert {("inp", "dense_a"), ("dense_b", "add"), ("sub/s2", "out")} <= pairs
    assert sum(found["parameters"]) == 1393


def test_a_graph_of_pytorch(client: Any) -> None:
    found = blob(client, "torch", "graph_def")
    assert found["kind"] == "ops"
    assert facts(found)["Sequential/Linear[4]/111"] == ("aten::linear", "1×10", 0)
    assert found["lost"] == 8  # PyTorch names nodes that it does not write


def test_functions_of_tensorflow(client: Any) -> None:
    names = blob(client, "functions", "graph_def")["names"]
    assert "while" in names
    assert any(name.startswith("while/body/") for name in names)
    assert any(name.startswith("cond/then_branch/") for name in names)


def test_a_trace(client: Any) -> None:
    found = blob(client, "trace", "my_trace")
    assert found["kind"] == "ops"
    assert facts(found)["outer/block_3/mm"][0] == "MatMul"


def test_a_measured_run_colours_the_graph_of_its_run(client: Any) -> None:
    found = blob(client, "session", "step_1")
    assert found["kind"] == "profile"
    assert found["names"] == blob(client, "session", "graph_def")["names"]
    micros = dict(zip(found["names"], found["stats"]["micros"], strict=True))
    assert micros["layer1/MatMul"] > 0
    assert micros["layer1/w/Assign"] == -1  # did not run at this step
    assert facts(found)["layer1/w"][2] == 128
    # Without a graph there is nothing to colour, and that is said.
    assert "no graph is logged" in blob(client, "metadata", "rm")["problem"]


def test_one_node(client: Any) -> None:
    names = blob(client, "session", "graph_def")["names"]
    query = {"run": run_id("session"), "tag": "graph_def", "index": 0}
    found = client.get("api/v1/graphs/node", **query, node=names.index("layer1/MatMul"))
    assert found["inputs"] == ["x", "layer1/w/read"]
    assert {"name": "T", "text": "float32", "nbytes": 2} in found["attributes"]
    layers = blob(client, "keras3/train", "keras")["names"]
    query = {"run": run_id("keras3/train"), "tag": "keras", "index": 0}
    found = client.get("api/v1/graphs/node", **query, node=layers.index("dense_a"))
    assert {"name": "units", "text": "32", "nbytes": 2} in found["attributes"]


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("index=0&node=9999", 404, "the graph has 48 nodes; got node=9999"),
        ("index=7&node=0", 404, "has 1 steps; got index=7"),
        ("index=0", 400, "expected a whole number as node"),
    ],
)
def test_nodes_that_are_not_there(client: Any, query: str, status: int, words: str) -> None:
    answer = client.ask("GET", f"/api/v1/graphs/node?run={run_id('session')}&tag=graph_def&{query}")
    assert answer.status == status
    assert words in answer.body.decode()


def test_large_attributes_are_shortened(tmp_path: Path, serve: Callable[..., Any], events: Any) -> None:
    graph = message("GraphDef")()
    node = graph.node.add(name="big", op="Const")
    node.attr["value"].tensor.tensor_content = b"\0" * 1_000_000
    node.attr["value"].tensor.dtype = 1
    node.attr["value"].tensor.tensor_shape.dim.add(size=250_000)
    node.attr["text"].s = b"<script>" * 10_000
    node.attr["sizes"].list.i.extend(range(1000))
    node.attr["unset"].SetInParent()
    events.write(tmp_path / "run", record(encoding.graph_event(1.7e9, graph.SerializeToString())))
    client = serve(tmp_path)
    client.wait_until_read()
    found = client.get("api/v1/graphs/node", run=run_id("run"), tag="graph_def", index=0, node=0)
    attributes = {one["name"]: one for one in found["attributes"]}
    assert attributes["value"]["text"] == "float32 250000"
    assert attributes["value"]["nbytes"] > 1_000_000
    assert len(attributes["text"]["text"]) == 2000
    assert attributes["sizes"]["text"].endswith("49, …]")


def test_what_is_no_graph_says_so(tmp_path: Path, serve: Callable[..., Any], events: Any) -> None:
    bad = record(encoding.graph_event(1.7e9, b"\xff\xff\xff"))
    bad += events.entry("keras", "{", "graph_keras_model", content=b"1")
    bad += events.entry("numbers", [1.0, 2.0], "graph_keras_model", content=b"1")
    bad += events.entry("meta", b"\xff\xff\xff", "graph_run_metadata", content=b"1")
    events.write(tmp_path / "run", bad)
    client = serve(tmp_path)
    client.wait_until_read()
    for tag, words in (
        ("graph_def", "not a graph"),
        ("keras", "not the JSON of a model"),
        ("numbers", "a graph in an array of float"),
        ("meta", "not run metadata"),
    ):
        found = blob(client, "run", tag)
        assert found["names"] == []
        assert words in found["problem"]


def test_a_saved_page_has_the_graphs(load: Callable[..., Any]) -> None:
    board = load(DATA)
    data, left_out = collect(board, points=10, steps=10)
    run = run_id("session")
    (url,) = [u for u in data["answers"] if u.startswith(f"api/v1/blob?run={run}&tag=step_1&")]
    assert len(data["answers"][url]["names"]) == 48
    assert f"api/v1/graphs/items?run={run}&tag=step_1" in data["answers"]
    assert left_out == ""
