"""Calls, branches and loops: ops that run functions of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import DEAD, GraphError, Node, array, implements
from tapeflow.saved_model.interpreter.loops import invariants, turn_count

Lists = dict[int, Any]


@implements("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall", "SymbolicGradient")
def _call(node: Node, *inputs: Tensor) -> Any:
    return node.library.call(node.function("f"), inputs)


@implements("If", "StatelessIf")
def _if(node: Node, condition: Tensor, *inputs: Tensor) -> Any:
    names = [node.function("else_branch"), node.function("then_branch")]
    known = condition.host_value()
    if known is not None:
        return node.library.call(names[bool(known)], inputs)
    is_true = _truth(condition)
    return _merged(lambda runs: tf.cond(is_true, runs[1], runs[0]), node, names, inputs)


def _truth(condition: Any) -> Tensor:
    if condition.dtype == tf.bool:
        return tf.reshape(condition, [])
    if condition.dtype == tf.string:
        return tf.reshape(tf.strings.length(condition) > 0, [])
    return tf.reshape(condition != 0, [])


@implements("Case", "StatelessCase")
def _case(node: Node, index: Tensor, *inputs: Tensor) -> Any:
    names = node.functions("branches")
    if not names:
        raise GraphError(f"node {node.name!r} has no branches")
    known = index.host_value()
    if known is not None:
        at = int(known)
        return node.library.call(names[at if 0 <= at < len(names) else -1], inputs)
    return _merged(
        lambda runs: tf.switch_case(index, dict(enumerate(runs)), default=runs[-1]), node, names, inputs
    )


def _merged(
    choose: Callable[[list[Callable[[], Any]]], Any], node: Node, names: list[str], inputs: Sequence[Any]
) -> list[Any]:
    """The results of one of several functions. Lists of tensors leave a branch as the rows of one tensor."""
    arrays: Lists = {}

    def run(name: str) -> Callable[[], Any]:
        def taken() -> list[Any]:
            found = node.library.call(name, inputs)
            arrays.update({i: v for i, v in enumerate(found) if isinstance(v, tf.TensorArray)})
            return [v.stack() if isinstance(v, tf.TensorArray) else v for v in found] or [tf.constant(0)]

        return taken

    found = list(choose([run(name) for name in names]))
    return [arrays[i].of_rows(v) if i in arrays else v for i, v in enumerate(found)]


@implements("While", "StatelessWhile", "_While")
def _while(node: Node, *inputs: Tensor) -> Any:
    library, test, body = node.library, node.function("cond"), node.function("body")
    same = invariants(library.function(body))
    places = [i for i, v in enumerate(inputs) if i not in same and isinstance(v, (tf.Tensor, tf.TensorArray))]
    if not places:
        raise GraphError(f"loop {node.name!r} changes nothing")
    count = turn_count(library, test, body, inputs)

    def filled(values: Sequence[Any]) -> list[Any]:
        given = list(inputs)
        for i, value in zip(places, values, strict=True):
            given[i] = value
        return given

    def goes_on(*values: Any) -> Any:
        if count is not None:
            return tf.constant(True)
        return _truth(library.call(test, filled(values))[0])

    def turned(*values: Any) -> Any:
        found = library.call(body, filled(values))
        return tuple(found[i] for i in places)

    start = tuple(inputs[i] for i in places)
    found = start if count == 0 else tf.while_loop(goes_on, turned, start, maximum_iterations=count)
    return filled(list(found))


@implements("For")
def _for(node: Node, start: Tensor, limit: Tensor, delta: Tensor, *inputs: Tensor) -> Any:
    values = list(inputs)
    for i in range(int(array(start)), int(array(limit)), int(array(delta))):
        values = node.library.call(node.function("body"), [tf.constant(i), *values])
    return values


@implements("Assert")
def _assert(node: Node, condition: Tensor, *data: Tensor) -> Any:
    tf.Assert(condition, list(data), summarize=node.number("summarize", 3))
    return []


@implements("PrintV2")
def _print(node: Node, text: Tensor) -> Any:
    tf.print(text, end=node.text("end", "\n"))
    return []


@implements("Print")
def _old_print(_: Node, x: Tensor, *data: Any) -> Any:
    return x


@implements("StringFormat")
def _format(node: Node, *inputs: Tensor) -> Any:
    return tf.strings.format(
        node.text("template"), list(inputs), node.text("placeholder", "%s"), node.number("summarize", 3)
    )


@implements("Switch", "RefSwitch", outputs=("output_false", "output_true"))
def _switch(_: Node, value: Tensor, condition: Tensor) -> Any:
    """TensorFlow 1's way of branching. The condition is read, so a graph with it is no program."""
    return (DEAD, value) if bool(array(condition)) else (value, DEAD)


@implements("Merge", "RefMerge", outputs=("output", "value_index"))
def _merge(node: Node, *values: Tensor) -> Any:
    alive = [i for i, v in enumerate(values) if v is not DEAD]
    return (values[alive[0]], tf.constant(alive[0])) if alive else (DEAD, DEAD)
