"""JAX's calls, branches and loops, as nodes: `If`, `Case` and `While` of functions.

Loops are laid out as TensorFlow's own are, with a counter and the most turns first, so that its gradients and its
converters know them. The rows that a loop collects are TensorLists, as in Keras's recurrent layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.shapes.expression import Size
from tapeflow.ops.graphs.nodes.function_body import FunctionBody, Value, kind_of
from tapeflow.ops.graphs.nodes.lowering import lower_closed, lower_jaxpr, primitive
from tapeflow.ops.graphs.nodes.rules_elementwise import out_shape

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


_CALLS = ("jit", "pjit", "closed_call", "core_call", "remat", "checkpoint", "remat2", "custom_lin", "call")


@primitive(*_CALLS)
def _call(body: FunctionBody, equation: JaxprEqn, *inputs: Value) -> list[Value]:
    inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
    return _inlined(body, inner, inputs)


def _inlined(body: FunctionBody, inner: Any, inputs: Sequence[Value]) -> list[Value]:
    if not hasattr(inner, "consts"):  # one without constants
        return lower_jaxpr(body, inner, (), inputs)
    return lower_closed(body, inner, inputs)


@primitive("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr")
def _custom(body: FunctionBody, equation: JaxprEqn, *inputs: Value) -> list[Value]:
    params = equation.params
    inner = params.get("call_jaxpr", params.get("fun_jaxpr", params.get("jaxpr")))
    return _inlined(body, inner, inputs)


@primitive("platform_index")
def _platform(body: FunctionBody, equation: JaxprEqn) -> Value:
    """Which implementation a platform has: the last, which is not for one of them."""
    platforms = equation.params["platforms"]
    return body.constant(len(platforms) - 1, "int32")


def _function(
    body: FunctionBody, name: str, arguments: Sequence[Value], fill: Callable[..., list[Value]]
) -> tuple[FunctionBody, list[Value]]:
    """A function that may take values of the one around it, with its results; it is not finished yet."""
    inner = FunctionBody(body.library, body.library.name(name), body)
    given = [inner.argument("arg", a.shape, a.kind) for a in arguments]
    return inner, [inner.take(r) for r in fill(inner, *given)]


def _share_captures(functions: Sequence[FunctionBody]) -> list[Value]:
    """Give functions the same captured arguments, in the same order; returns what is captured."""
    captured: list[Value] = []
    for function in functions:
        for value in function.captures:
            if not any(value is c for c in captured):
                captured.append(value)
    for function in functions:
        held = (
            {
                id(v): a
                for v, a in zip(function.captures, function.arguments[-len(function.captures) :], strict=True)
            }
            if function.captures
            else {}
        )
        own = function.arguments[: len(function.arguments) - len(function.captures)]
        rest = [
            held[id(v)] if id(v) in held else function.argument("captured", v.shape, v.kind) for v in captured
        ]
        function.arguments = [*own, *rest]
        function.captures = captured
    return captured


@primitive("cond")
def _cond(body: FunctionBody, equation: JaxprEqn, index: Value, *inputs: Value) -> list[Value]:
    branches = equation.params["branches"]
    if index.constant is not None:
        number = min(max(int(index.constant), 0), len(branches) - 1)
        return lower_closed(body, branches[number], inputs)
    shapes = [out_shape(equation, i) for i in range(len(equation.outvars))]
    made = [
        _function(body, "branch", inputs, lambda inner, *given, b=branch: lower_closed(inner, b, given))
        for branch in branches
    ]
    captured = _share_captures([function for function, _ in made])
    names = [function.finish(results) for function, results in made]
    kinds = [r.kind for r in made[0][1]]
    given = [*inputs, *captured]
    attributes: dict[str, Any] = {"Tout": kinds, "output_shapes": shapes}
    is_stateful = any(function.is_stateful for function, _ in made)
    if len(branches) == 2:
        is_on = (
            index
            if index.dtype.is_bool
            else body.emit("NotEqual", [index, body.constant(0, index.dtype)], ())
        )
        attributes |= {"then_branch": names[1], "else_branch": names[0]}
        return body.emit("If" if is_stateful else "StatelessIf", [is_on, given], shapes, **attributes)
    size = len(branches) - 1
    index = body.cast(index, "int32")
    low = body.emit("Maximum", [index, body.constant(0, "int32")], ())
    index = body.emit("Minimum", [low, body.constant(size, "int32")], ())
    return _case(body, index, given, names, shapes, kinds)


def _case(
    body: FunctionBody,
    index: Value,
    given: list[Value],
    names: list[str],
    shapes: list[Any],
    kinds: list[int],
) -> list[Value]:
    found = body.emit("StatelessCase", [index, given], shapes, Tout=kinds, output_shapes=shapes)
    for name in names:
        body.nodes[-1].attr["branches"].list.func.add(name=name)
    return found


def loop(
    body: FunctionBody,
    carried: Sequence[Value],
    most: Value | None,
    test: Callable[..., Value] | None,
    turn: Callable[..., list[Value]],
    shapes: Sequence[tuple[Size, ...]],
) -> list[Value]:
    """A loop.

    Args:
        body: the function it stands in.
        carried: what goes from turn to turn, at the beginning.
        most: so many turns at most.
        test: `test(inner, counter, *carried)` says whether to go on; always if there is none.
        turn: `turn(inner, counter, *carried)` gives what is carried on.
        shapes: of what is carried.
    """
    counter = body.constant(0, "int32")
    limit = body.constant(-1, "int32") if most is None else most
    # The first arguments of both functions are the counter and the limit.
    given = [_settled(body, v) for v in (counter, limit, *carried)]

    def goes_on(inner: FunctionBody, count: Value, end: Value, *values: Value) -> list[Value]:
        is_on = None if test is None else test(inner, count, *values)
        if most is None:
            return [] if is_on is None else [is_on]
        inside = inner.emit("Less", [count, end], ())
        return [inside if is_on is None else inner.emit("LogicalAnd", [inside, is_on], ())]

    def turned(inner: FunctionBody, count: Value, end: Value, *values: Value) -> list[Value]:
        after = turn(inner, count, *values)
        return [inner.emit("AddV2", [count, inner.constant(1, "int32")], ()), end, *after]

    tested = _function(body, "while_cond", given, goes_on)
    worked = _function(body, "while_body", given, turned)
    functions = [tested[0], worked[0]]
    captured = _share_captures(functions)
    rest = worked[0].arguments[len(given) :]
    names = [tested[0].finish(tested[1]), worked[0].finish([*worked[1], *rest])]
    is_stateful = any(function.is_stateful for function in functions)
    all_shapes = [(), (), *shapes, *[c.shape for c in captured]]
    found = body.emit(
        "While" if is_stateful else "StatelessWhile",
        [[*given, *captured]],
        all_shapes,
        cond=names[0],
        body=names[1],
        output_shapes=all_shapes,
    )
    return found[2 : 2 + len(carried)]


def _settled(body: FunctionBody, value: Value) -> Value:
    value = body.take(value)
    value.name  # noqa: B018 - a broadcast becomes a node
    return Value(body, value.name, value.shape, value.kind)


@primitive("while")
def _while(body: FunctionBody, equation: JaxprEqn, *inputs: Value) -> list[Value]:
    params = equation.params
    of_test, of_body = params["cond_nconsts"], params["body_nconsts"]
    for_test, for_body = inputs[:of_test], inputs[of_test : of_test + of_body]
    carried = inputs[of_test + of_body :]
    shapes = [out_shape(equation, i) for i in range(len(carried))]

    def test(inner: FunctionBody, _: Value, *values: Value) -> Value:
        (found,) = lower_closed(inner, params["cond_jaxpr"], [*[inner.take(v) for v in for_test], *values])
        return found

    def turn(inner: FunctionBody, _: Value, *values: Value) -> list[Value]:
        return lower_closed(inner, params["body_jaxpr"], [*[inner.take(v) for v in for_body], *values])

    return loop(body, carried, None, test, turn, shapes)


@primitive("scan")
def _scan(body: FunctionBody, equation: JaxprEqn, *inputs: Value) -> list[Value]:
    params = equation.params
    consts, carry = params["num_consts"], params["num_carry"]
    fixed, carried, rows = inputs[:consts], inputs[consts : consts + carry], inputs[consts + carry :]
    length = params["length"]
    count = len(equation.outvars) - carry
    kept = [out_shape(equation, carry + i) for i in range(count)]
    inner_jaxpr = params["jaxpr"]
    kinds = [v.aval for v in inner_jaxpr.jaxpr.outvars[carry:]]
    size = body.size(length)
    lists = [_list(body, shape, aval, size) for shape, aval in zip(kept, kinds, strict=True)]
    last = body.size(length - 1) if params["reverse"] else None

    def place(inner: FunctionBody, number: Value) -> Value:
        return number if last is None else inner.emit("Sub", [last, number], ())

    def turn(inner: FunctionBody, number: Value, *values: Value) -> list[Value]:
        at = place(inner, number)
        axis = inner.constant(0, "int32")
        parts = [inner.emit("GatherV2", [row, at, axis], row.sizes[1:]) for row in rows]
        given = [*[inner.take(v) for v in fixed], *values[:carry], *parts]
        after = lower_closed(inner, inner_jaxpr, given)
        written = [
            inner.emit("TensorListSetItem", [held, at, item], (), element_dtype=item.kind)
            for held, item in zip(values[carry:], after[carry:], strict=True)
        ]
        return [*after[:carry], *written]

    shapes = [*[out_shape(equation, i) for i in range(carry)], *[()] * count]
    found = loop(body, [*carried, *lists], size, None, turn, shapes)
    stacked = [
        body.emit(
            "TensorListStack",
            [held, body.shape(shape[1:])],
            shape,
            aval.dtype,
            element_dtype=_kind(aval),
            num_elements=length if isinstance(length, int) else -1,
        )
        for held, shape, aval in zip(found[carry:], kept, kinds, strict=True)
    ]
    return [*found[:carry], *stacked]


def _kind(aval: Any) -> int:
    return kind_of(aval.dtype)


def _list(body: FunctionBody, shape: tuple[Size, ...], aval: Any, size: Value) -> Value:
    return body.emit(
        "TensorListReserve",
        [_element_shape(body, shape[1:]), size],
        (),
        element_dtype=_kind(aval),
        shape_type=3,
    )


def _element_shape(body: FunctionBody, shape: tuple[Size, ...]) -> Value:
    """The shape of what a list holds; open sizes are -1, as TensorFlow's converters like them."""
    return body.constant([s if isinstance(s, int) else -1 for s in shape], np.int32)
