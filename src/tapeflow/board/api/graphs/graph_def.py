"""The nodes of a GraphDef, with the functions it calls put in the place of their calls.

A file may hold anything: nodes are decoded one by one, up to a limit, so that a million of them cost no memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import DecodeError

from tapeflow.board.notes import Phrases
from tapeflow.board.schema import Note
from tapeflow.summary.event_files.tensors import TYPE_NUMBERS
from tapeflow.summary.event_files.wire import fields
from tapeflow.summary.protos import message

NOTES = Phrases(
    unreadable="the graph cannot be shown: {error}",
    no_graph="a run was measured, but no graph is logged beside it",
    functions_cut="functions of more than 64 MB are not shown",
    nodes_cut="the graph has {total} nodes; the first {n} are shown",
    layers_cut="the first {n} layers are shown",
)

MOST_NODES = 100_000
MOST_NAME = 4000
MOST_TEXT = 32 << 20  # characters of all names and inputs
_MOST_LIBRARY = 64 << 20
_MOST_CALLS = 30  # inside each other
_MOST_STEPS = 1000  # from a name to the node it means
_MOST_SHAPES = 20
_NODE, _LIBRARY = 1, 2  # fields of GraphDef
_FUNCTION = 1  # field of FunctionDefLibrary
_BLOCK = 2  # the wire type of messages
_CALLS = ("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall")
_BODIES = {"cond": 0, "body": 0, "then_branch": 1, "else_branch": 1}
"""Attributes with functions that a node runs, and how many inputs of the node come before their arguments."""
_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
_READS = "ReadVariableOp"
_TYPE_NAMES = {number: name for name, number in TYPE_NUMBERS.items()}
_TYPE_KEYS = ("dtype", "T", "DstT", "output_type", "out_type", "type")


@dataclass(slots=True)
class Edge:
    """A tensor on its way: places of nodes, its shape, and whether only the order matters."""

    source: int
    target: int
    shape: str
    is_control: bool


@dataclass(slots=True)
class Node:
    """A node, its name a path.

    Attributes:
        shapes: of its outputs.
        content: what it was made of: a NodeDef, or the config of a layer.
    """

    name: str
    op: str
    device: str = ""
    dtype: str = ""
    shapes: list[str] = field(default_factory=list)
    parameters: int = 0
    content: Any = None


@dataclass(slots=True)
class Graph:
    """Nodes and edges; `total` counts the nodes of the file, `lost` the edges whose source is not in it."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    total: int = 0
    lost: int = 0
    problems: list[Note] = field(default_factory=list)


def graph_of(*datas: bytes) -> Graph:
    """The graph of serialised GraphDefs; several stand side by side, as TensorBoard has them.

    Raises:
        ValueError: one of them is no GraphDef.
    """
    builder = _Builder()
    for number, data in enumerate(datas, 1):
        builder.add_graph(data, f"graph_{number}/" if len(datas) > 1 else "")
    return builder.finish()


def unique_name(name: str, taken: dict[str, int]) -> str:
    """A name that no node has yet: `a (2)` after `a`. Very long ones are cut.

    Args:
        name: what the file calls the node.
        taken: the names there are, each with how often it was asked for.
    """
    name = name if len(name) <= MOST_NAME else f"{name[:MOST_NAME]}…"
    count = taken.get(name, 0) + 1
    unique = name if count == 1 else f"{name} ({count})"
    while unique in taken:
        count += 1
        unique = f"{name} ({count})"
    taken[name] = count
    taken.setdefault(unique, 1)
    return unique


def shape_text(shape: Any) -> str:
    """A TensorShapeProto as `?×3`; `[]` for a scalar, "" if not even the rank is known."""
    if shape.unknown_rank:
        return ""
    return shown_shape([d.size if d.size >= 0 else None for d in shape.dim])


def shown_shape(shape: list[int | None]) -> str:
    """Sizes as text."""
    return "×".join("?" if size is None else str(size) for size in shape) or "[]"


def type_name(number: int) -> str:
    """float32 instead of DT_FLOAT."""
    if number in _TYPE_NAMES:
        return _TYPE_NAMES[number]
    return f"{type_name(number - 100)}_ref" if 100 < number < 200 else "" if not number else f"type {number}"


class _Scope:
    """The names in one graph or one call of a function, and what they mean."""

    def __init__(self, arguments: dict[str, tuple[_Scope, str]] | None = None) -> None:
        self.places: dict[str, int | _Call] = {}
        self.arguments = arguments or {}


@dataclass(slots=True)
class _Call:
    """A call whose function stands in its place; what it gives is what nodes inside give."""

    scope: _Scope
    results: list[str]


class _Builder:
    def __init__(self) -> None:
        self.graph = Graph()
        self.taken: dict[str, int] = {}
        self.functions: dict[str, Any] = {}
        self.waiting: list[tuple[int, _Scope, str]] = []
        self.text = 0

    @property
    def is_full(self) -> bool:
        return len(self.graph.nodes) >= MOST_NODES or self.text >= MOST_TEXT

    def add_graph(self, data: bytes, prefix: str) -> None:
        scope = _Scope()
        try:
            self.functions = self._library(data)
            for number, kind, begin, end in fields(data, 0, len(data)):
                if number != _NODE or kind != _BLOCK:
                    continue
                self.graph.total += 1
                if not self.is_full:
                    self._add(message("NodeDef").FromString(data[begin:end]), prefix, scope, 0)
        except (ValueError, IndexError, DecodeError) as error:
            raise ValueError(f"not a graph: {error}") from None

    def _library(self, data: bytes) -> dict[str, Any]:
        functions: dict[str, Any] = {}
        for number, kind, begin, end in fields(data, 0, len(data)):
            if number != _LIBRARY or kind != _BLOCK:
                continue
            if end - begin > _MOST_LIBRARY:
                self.graph.problems.append(NOTES("functions_cut"))
                continue
            for inner, inner_kind, first, last in fields(data, begin, end):
                if inner == _FUNCTION and inner_kind == _BLOCK:
                    one = message("FunctionDef").FromString(data[first:last])
                    functions[one.signature.name] = one
        return functions

    def _add(self, proto: Any, prefix: str, scope: _Scope, depth: int) -> None:
        """A node, or what its call stands for."""
        inputs, op = list(proto.input), proto.op
        self.text += len(proto.name) + sum(map(len, inputs))
        name = f"{prefix}{proto.name}"
        data = [i for i in inputs if not i.startswith("^")]
        called = op
        if op in _CALLS and "f" in proto.attr:
            called = proto.attr["f"].func.name
        if called in self.functions and depth < _MOST_CALLS:
            function = self.functions[called]
            inner = self._inline(function, f"{name}/", scope, data, depth)
            results = [function.ret[arg.name] for arg in function.signature.output_arg]
            scope.places[proto.name] = _Call(inner, results)
            return
        place = self._node(proto, name)
        scope.places.setdefault(proto.name, place)
        self.waiting += [(place, scope, given) for given in inputs]
        for key, skipped in _BODIES.items() if self.functions else ():
            body = self.functions.get(proto.attr[key].func.name) if key in proto.attr else None
            if body is not None and depth < _MOST_CALLS:
                inner = self._inline(body, f"{name}/{key}/", scope, data[skipped:], depth)
                self.waiting += [(place, inner, body.ret[arg.name]) for arg in body.signature.output_arg]

    def _inline(self, function: Any, prefix: str, outer: _Scope, given: list[str], depth: int) -> _Scope:
        names = [arg.name for arg in function.signature.input_arg]
        inner = _Scope({name: (outer, ref) for name, ref in zip(names, given, strict=False)})
        for proto in function.node_def:
            self.graph.total += 1
            if self.is_full:
                self.graph.total += len(function.node_def) - 1
                break
            self._add(proto, prefix, inner, depth + 1)
        return inner

    def _node(self, proto: Any, name: str) -> int:
        unique = unique_name(name, self.taken)
        shapes = _output_shapes(proto)
        attributes, op = proto.attr, proto.op
        kind = next((attributes[k].type for k in _TYPE_KEYS if k in attributes and attributes[k].type), 0)
        node = Node(unique, op, proto.device, type_name(kind), content=proto)
        node.shapes = [shape_text(shape) for shape in shapes[:_MOST_SHAPES]]
        if op in _VARIABLES:
            shape = attributes["shape"].shape if "shape" in attributes else shapes[0] if len(shapes) else None
            node.parameters = _size(shape) if shape is not None else 0
        self.graph.nodes.append(node)
        return len(self.graph.nodes) - 1

    # Edges

    def finish(self) -> Graph:
        graph, read = self.graph, set()
        for target, scope, given in self.waiting:
            source, port = self._resolve(scope, given)
            if source is None:
                graph.lost += 1
                continue
            shapes = graph.nodes[source].shapes
            is_control = given.startswith("^")
            shape = shapes[port] if not is_control and port is not None and port < len(shapes) else ""
            graph.edges.append(Edge(source, target, shape, is_control))
            node, origin = graph.nodes[target], graph.nodes[source]
            if node.op == _READS and not is_control and origin.op not in _VARIABLES and source not in read:
                # The Variable is an argument that tells no shape: its first reader does.
                read.add(source)
                found = _output_shapes(node.content)
                node.parameters = _size(found[0]) if len(found) else 0
        if graph.total > len(graph.nodes) and self.is_full:
            graph.problems.append(NOTES("nodes_cut", total=graph.total, n=len(graph.nodes)))
        return graph

    def _resolve(self, scope: _Scope, given: str) -> tuple[int | None, int | None]:
        """The node a name means, and which of its outputs if that is known."""
        for _ in range(_MOST_STEPS):
            name, *rest = given.removeprefix("^").split(":")
            port = int(rest[-1]) if rest and rest[-1].isdecimal() and len(rest[-1]) < 6 else 0
            place = scope.places.get(name)
            if isinstance(place, int):
                # `node:batch_mean:0` names an output; only the op's definition says which one it is.
                is_sure = len(rest) < 2 or len(self.graph.nodes[place].shapes) == 1
                return place, port if is_sure else None
            if place is not None:
                if not place.results:
                    inside = (i for i in place.scope.places.values() if isinstance(i, int))
                    return next(inside, None), None
                scope, given = place.scope, place.results[min(port, len(place.results) - 1)]
            elif name in scope.arguments:
                scope, given = scope.arguments[name]
            else:
                break
        return None, None


def _output_shapes(proto: Any) -> Sequence[Any]:
    return proto.attr["_output_shapes"].list.shape if "_output_shapes" in proto.attr else ()


def _size(shape: Any) -> int:
    sizes = [d.size for d in shape.dim]
    if shape.unknown_rank or any(size < 0 for size in sizes):
        return 0
    return min(math.prod(sizes), 1 << 53)
