"""Branches, loops and the lists that loops fill: functions of TensorFlow's become subgraphs.

A subgraph takes what it needs from the graphs around it. So what a loop never changes is not carried, and a list that
is filled turn by turn becomes what ONNX collects of the turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapeflow.ops.graphs.nodes.function_body import CannotLower
from tapeflow.saved_model.onnx.graph import Graph, Tensor
from tapeflow.saved_model.onnx.rules import Node
from tapeflow.saved_model.onnx.values import EmptyList, StackedList, Value, WrittenList

if TYPE_CHECKING:
    from tapeflow.saved_model.onnx.conversion import Converter

CONTROL: dict[str, Callable[..., Any]] = {}
"""Rules that need functions or lists: `rule(converter, graph, node, *inputs)`."""


def _control(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        CONTROL.update(dict.fromkeys(names, function))
        return function

    return register


def _tensor(value: Value) -> Tensor:
    if not isinstance(value, Tensor):
        raise CannotLower(f"passes on a {type(value).__name__} where ONNX has tensors")
    return value


@_control("PartitionedCall", "StatefulPartitionedCall")
def _call(converter: Converter, graph: Graph, node: Node, *inputs: Value) -> list[Value]:
    return converter.convert(graph, node.message.attr["f"].func.name, inputs)


@_control("If", "StatelessIf")
def _if(converter: Converter, graph: Graph, node: Node, is_on: Tensor, *inputs: Value) -> list[Tensor]:
    names = [node.message.attr[key].func.name for key in ("then_branch", "else_branch")]
    return _branched(
        graph, node, is_on, [lambda inner, n=n: converter.convert(inner, n, inputs) for n in names]
    )


@_control("Case", "StatelessCase")
def _case(converter: Converter, graph: Graph, node: Node, index: Tensor, *inputs: Value) -> list[Tensor]:
    names = [each.name for each in node.message.attr["branches"].list.func]

    def from_branch(number: int, inner: Graph) -> list[Value]:
        if number == len(names) - 1:
            return converter.convert(inner, names[number], inputs)
        is_on = inner.emit("Equal", [index, inner.scalar(number, index)], (), "bool")
        ways = [
            lambda within: converter.convert(within, names[number], inputs),
            lambda within: from_branch(number + 1, within),
        ]
        return list(_branched(inner, node, is_on, ways))

    return [_tensor(value) for value in from_branch(0, graph)]


def _branched(
    graph: Graph, node: Node, is_on: Tensor, ways: Sequence[Callable[[Graph], list[Value]]]
) -> list[Tensor]:
    """An `If` of two ways to go on."""
    made = []
    for label, way in zip(("then", "else"), ways, strict=True):
        inner = Graph(graph.opset, graph)
        results = [inner.own(_tensor(value), inner.unique(f"{node.name}/{label}")) for value in way(inner)]
        made.append(inner.finish(graph.unique(f"{node.name}/{label}_branch"), [], results))
    dtypes = [dtype for dtype in node.dtypes if dtype is not None]
    return graph.emit_all("If", [is_on], node.shapes, dtypes, then_branch=made[0], else_branch=made[1])


@_control("TensorListReserve")
def _reserve(converter: Converter, graph: Graph, node: Node, shape: Tensor, size: Tensor) -> EmptyList:
    return EmptyList()


@_control("TensorListSetItem")
def _set_item(
    converter: Converter, graph: Graph, node: Node, held: Value, index: Tensor, item: Tensor
) -> WrittenList:
    if not isinstance(held, EmptyList):
        raise CannotLower("puts more than one thing into a list in one turn of a loop")
    return WrittenList(index, item)


@_control("TensorListStack")
def _stack(converter: Converter, graph: Graph, node: Node, held: Value, shape: Tensor) -> Tensor:
    if not isinstance(held, StackedList):
        raise CannotLower("reads a list that no loop has filled")
    return Tensor(
        graph, held.items.name, node.shape or held.items.shape, held.items.dtype, source=held.items.source
    )


@_control("While", "StatelessWhile")
def _while(converter: Converter, graph: Graph, node: Node, *inputs: Value) -> list[Value]:
    """A loop; the first input counts the turns, as all loops do that are written here."""
    test, body = (node.message.attr[key].func.name for key in ("cond", "body"))
    unchanged = _unchanged(converter.library.functions[body])
    carried = [i for i, v in enumerate(inputs) if isinstance(v, Tensor) and i not in unchanged]
    (starts,) = converter.convert(graph, test, inputs)

    inner = Graph(graph.opset, graph)
    turn = inner.argument(f"{node.name}/turn", (), "int64")
    goes_on = inner.argument(f"{node.name}/goes_on", (), "bool")
    before = list(inputs)
    for i in carried:
        value = _tensor(inputs[i])
        before[i] = inner.argument(f"{node.name}/carried", node.shapes[i], value.dtype)
    after = converter.convert(inner, body, before)
    lists = [i for i, value in enumerate(after) if isinstance(value, WrittenList)]
    backwards = {i: _is_backwards(after[i], before[0]) for i in lists}
    inner.scope = f"{node.name}/test/"
    (more,) = converter.convert(inner, test, after)

    items = [after[i].item for i in lists]  # type: ignore[union-attr]
    results = [_tensor(more), *[_tensor(after[i]) for i in carried], *items]
    owned = [inner.own(result, inner.unique(f"{node.name}/after")) for result in results]
    given = [before[i] for i in carried]
    whole = inner.finish(graph.unique(f"{node.name}/body"), [turn, goes_on, *map(_tensor, given)], owned)
    shapes = [node.shapes[i] for i in carried]
    rows = [None if item.shape is None else (None, *item.shape) for item in items]
    dtypes = [result.dtype for result in results[1:]]
    started = [None, _tensor(starts), *[_tensor(inputs[i]) for i in carried]]
    graph.scope = f"{node.name}/"
    found = graph.emit_all("Loop", started, [*shapes, *rows], dtypes, body=whole)

    ends: list[Value] = list(inputs)
    for i, value in zip([*carried, *lists], found, strict=True):
        if i in backwards:
            ends[i] = StackedList(_reversed(graph, value) if backwards[i] else value)
        else:
            ends[i] = value
    return ends


def _unchanged(function: Any) -> set[int]:
    """The places of arguments that the body of a loop gives back as they are."""
    arguments = [argument.name for argument in function.signature.input_arg]
    results = [function.ret[output.name] for output in function.signature.output_arg]
    return {i for i, (a, r) in enumerate(zip(arguments, results, strict=True)) if a == r}


def _is_backwards(written: Any, counter: Value) -> bool:
    """Whether a loop fills a list from its end: at the last place less the number of the turn."""
    index = written.index
    if index is counter:
        return False
    if index.source is not None and index.source[0] == "Sub" and index.source[1][1] is counter:
        return True
    raise CannotLower("fills a list in an order that ONNX's loops do not know")


def _reversed(graph: Graph, value: Tensor) -> Tensor:
    """A tensor with its first axis turned round."""
    ends = [graph.vector([n]) for n in (-1, -(1 << 62), 0, -1)]
    return graph.emit("Slice", [value, *ends], value.shape)
