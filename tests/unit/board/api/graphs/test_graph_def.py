"""Nodes and edges of GraphDefs, whatever they hold."""

from __future__ import annotations

from typing import Any

import pytest

from tapeflow.board.api.graphs import graph_def
from tapeflow.board.api.graphs.graph_def import Graph, graph_of, type_name
from tapeflow.board.notes import joined
from tapeflow.summary.event_files import wire
from tapeflow.summary.protos import message


def graph(*nodes: tuple[str, str, list[str]]) -> Any:
    found = message("GraphDef")()
    for name, op, inputs in nodes:
        found.node.add(name=name, op=op, input=inputs)
    return found


def shape(node: Any, *sizes: int) -> None:
    found = node.attr["_output_shapes"].list.shape.add()
    for size in sizes:
        found.dim.add(size=size)


def edges(found: Graph) -> set[tuple[str, str]]:
    return {(found.nodes[e.source].name, found.nodes[e.target].name) for e in found.edges}


def test_names_ops_shapes_and_types() -> None:
    proto = graph(("a", "Placeholder", []), ("scope/b", "Split", ["a"]), ("c", "Add", ["scope/b:1", "^a"]))
    shape(proto.node[0], -1, 4)
    shape(proto.node[1], 2)
    shape(proto.node[1])
    proto.node[0].attr["dtype"].type = 1
    proto.node[0].device = "/CPU:0"
    found = graph_of(proto.SerializeToString())
    first, split, _ = found.nodes
    assert (first.op, first.device, first.dtype, first.shapes) == (
        "Placeholder",
        "/CPU:0",
        "float32",
        ["?×4"],
    )
    assert split.shapes == ["2", "[]"]
    assert [(e.source, e.target, e.shape, e.is_control) for e in found.edges] == [
        (0, 1, "?×4", False),
        (1, 2, "[]", False),
        (0, 2, "", True),
    ]
    assert (found.total, found.lost, found.problems) == (3, 0, [])


def test_types_have_the_names_of_tensors() -> None:
    assert [type_name(n) for n in (0, 1, 3, 10, 101, 20)] == [
        "",
        "float32",
        "int32",
        "bool",
        "float32_ref",
        "type 20",
    ]


def test_edges_to_nowhere_cycles_and_doubles() -> None:
    proto = graph(
        ("a", "Add", ["a", "b", "nobody"]), ("b", "Add", ["a:99"]), ("a", "Const", []), ("", "", ["^", ":"])
    )
    found = graph_of(proto.SerializeToString())
    assert [node.name for node in found.nodes] == ["a", "b", "a (2)", ""]
    assert edges(found) == {("a", "a"), ("b", "a"), ("a", "b"), ("", "")}
    assert found.lost == 1


def test_parameters_are_counted_once() -> None:
    proto = graph(
        ("v", "VarHandleOp", []),
        ("v/read", "ReadVariableOp", ["v"]),
        ("captured", "Placeholder", []),
        ("layer/read", "ReadVariableOp", ["captured"]),
        ("other/read", "ReadVariableOp", ["captured"]),
    )
    for size in (3, 5):
        proto.node[0].attr["shape"].shape.dim.add(size=size)
    for node in (proto.node[1], proto.node[3], proto.node[4]):
        shape(node, 7, 2)
    found = graph_of(proto.SerializeToString())
    assert [node.parameters for node in found.nodes] == [15, 0, 0, 14, 0]


def with_function() -> Any:
    proto = graph(
        ("x", "Placeholder", []), ("call", "StatefulPartitionedCall", ["x"]), ("y", "Neg", ["call"])
    )
    proto.node[1].attr["f"].func.name = "square"
    function = proto.library.function.add()
    function.signature.name = "square"
    function.signature.input_arg.add(name="given")
    function.signature.output_arg.add(name="result")
    function.node_def.add(name="mul", op="Mul", input=["given", "given"])
    function.ret["result"] = "mul:z:0"
    return proto


def test_functions_stand_where_they_are_called() -> None:
    found = graph_of(with_function().SerializeToString())
    assert [node.name for node in found.nodes] == ["x", "call/mul", "y"]
    assert edges(found) == {("x", "call/mul"), ("call/mul", "y")}


def test_a_function_that_calls_itself_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    proto = with_function()
    inner = proto.library.function[0].node_def.add(name="again", op="PartitionedCall", input=["given"])
    inner.attr["f"].func.name = "square"
    found = graph_of(proto.SerializeToString())
    assert 10 < len(found.nodes) < 100
    # Each call calls twice: without a limit there would be a billion nodes.
    twice = proto.library.function[0].node_def.add(name="twice", op="square", input=["given"])
    assert twice.op == "square"
    monkeypatch.setattr(graph_def, "MOST_NODES", 500)
    found = graph_of(proto.SerializeToString())
    assert len(found.nodes) == 500
    assert "the first 500 are shown" in found.problems[0]["text"]


def test_a_function_that_gives_its_argument_back() -> None:
    proto = with_function()
    proto.library.function[0].ret["result"] = "given"
    found = graph_of(proto.SerializeToString())
    assert ("x", "y") in edges(found)
    proto.node[1].input[0] = "call"  # and that feeds itself
    assert graph_of(proto.SerializeToString()).lost > 0


def test_bodies_of_a_loop_are_inside_it() -> None:
    proto = graph(("x", "Placeholder", []), ("while", "While", ["x"]), ("y", "Neg", ["while"]))
    for key in ("cond", "body"):
        proto.node[1].attr[key].func.name = key
        function = proto.library.function.add()
        function.signature.name = key
        function.signature.input_arg.add(name="i")
        function.signature.output_arg.add(name="o")
        function.node_def.add(name="op", op="Neg", input=["i"])
        function.ret["o"] = "op:y:0"
    found = graph_of(proto.SerializeToString())
    assert {node.name for node in found.nodes} == {"x", "while", "while/cond/op", "while/body/op", "y"}
    assert {("x", "while/body/op"), ("while/body/op", "while"), ("while", "y")} <= edges(found)


def test_several_graphs_stand_side_by_side() -> None:
    data = graph(("a", "Const", []), ("b", "Neg", ["a"])).SerializeToString()
    found = graph_of(data, data)
    assert edges(found) == {("graph_1/a", "graph_1/b"), ("graph_2/a", "graph_2/b")}


def test_a_million_nodes_are_cut_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    # All of one name, so that finding another for each must not take longer and longer.
    monkeypatch.setattr(graph_def, "MOST_NODES", 20_000)
    node = message("NodeDef")(name="n", op="NoOp").SerializeToString()
    found = graph_of(wire.block(1, node) * 1_000_000)
    assert found.nodes[-1].name == "n (20000)"
    assert joined(found.problems) == "the graph has 1000000 nodes; the first 20000 are shown"


def test_names_made_unique_never_meet_those_there_are() -> None:
    proto = graph(*[(name, "NoOp", []) for name in ("a", "a (2)", "a", "a", "a (2)", "a (3)")])
    names = [node.name for node in graph_of(proto.SerializeToString()).nodes]
    assert names == ["a", "a (2)", "a (3)", "a (4)", "a (2) (2)", "a (3) (2)"]


def test_long_and_deep_names() -> None:
    deep = "/".join(["s"] * 1000)
    found = graph_of(graph((deep, "NoOp", []), ("x" * 100_000, "NoOp", [])).SerializeToString())
    assert found.nodes[0].name == deep
    assert len(found.nodes[1].name) == graph_def.MOST_NAME + 1


@pytest.mark.parametrize("data", [b"\xff" * 30, b"\x0a\x05ab", b"\x0a\x02\xff\xff"])
def test_what_is_no_graph_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a graph"):
        graph_of(data)
