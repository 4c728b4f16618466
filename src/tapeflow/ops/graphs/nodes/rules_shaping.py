"""JAX's primitives that move elements about, as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.shapes.expression import Size, has_symbols, is_symbolic
from tapeflow.ops.graphs.nodes.function_body import CannotLower, FunctionBody, Value
from tapeflow.ops.graphs.nodes.lowering import primitive
from tapeflow.ops.graphs.nodes.rules_elementwise import out_dtype, out_shape

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


@primitive("broadcast_in_dim")
def _broadcast(body: FunctionBody, equation: JaxprEqn, x: Value, *_: Value) -> Value:
    shape, axes = out_shape(equation), equation.params["broadcast_dimensions"]
    x = x if x.narrow is None else x.narrow
    aligned: list[Size] = [1] * len(shape)
    for axis, size in zip(axes, x.sizes, strict=True):
        aligned[axis] = size
    made = body.reshape(x, aligned) if len(aligned) != len(x.sizes) else x
    if _equal(made.sizes, shape):
        return made
    return Value(body, None, shape, x.kind, narrow=made)


def _equal(one: tuple[int, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(str(a) == str(b) for a, b in zip(one, other, strict=True))


@primitive("reshape", "squeeze", "expand_dims")
def _reshape(body: FunctionBody, equation: JaxprEqn, x: Value, *_: Value) -> Value:
    return body.reshape(x, out_shape(equation))


@primitive("transpose")
def _transpose(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    return body.transpose(x, equation.params["permutation"])


@primitive("rev")
def _rev(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    axes = body.constant(list(equation.params["dimensions"]), np.int32)
    return body.emit("ReverseV2", [x, axes], out_shape(equation))


@primitive("concatenate")
def _concatenate(body: FunctionBody, equation: JaxprEqn, *xs: Value) -> Value:
    if len(xs) == 1:
        return xs[0]
    axis = body.constant(equation.params["dimension"], "int32")
    return body.emit("ConcatV2", [list(xs), axis], out_shape(equation))


@primitive("stack")
def _stack(body: FunctionBody, equation: JaxprEqn, *xs: Value) -> Value:
    axis = equation.params.get("axis", equation.params.get("dimension", 0))
    return body.emit("Pack", [list(xs)], out_shape(equation), axis=axis)


@primitive("split")
def _split(body: FunctionBody, equation: JaxprEqn, x: Value) -> list[Value]:
    sizes, axis = equation.params["sizes"], equation.params["axis"]
    shapes = [out_shape(equation, i) for i in range(len(sizes))]
    where = body.constant(axis, "int32")
    if len(set(map(str, sizes))) == 1:
        return body.emit("Split", [where, x], shapes, num_split=len(sizes))
    return body.emit("SplitV", [x, body.shape(sizes), where], shapes, num_split=len(sizes))


@primitive("tile")
def _tile(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    return body.emit("Tile", [x, body.shape(equation.params["reps"])], out_shape(equation))


def strided(
    body: FunctionBody,
    x: Value,
    starts: Sequence[int],
    limits: Sequence[int],
    strides: Sequence[int],
    shape: tuple[Size, ...],
) -> Value:
    """A part of a tensor."""
    ends = 0
    stops: list[Size] = []
    for axis, (limit, size) in enumerate(zip(limits, x.sizes, strict=True)):
        if str(limit) == str(size):
            ends |= 1 << axis
            stops.append(0 if is_symbolic(limit) else limit)
        else:
            stops.append(limit)
    parts = [body.shape(list(starts)), body.shape(stops), body.shape(list(strides))]
    return body.emit("StridedSlice", [x, *parts], shape, end_mask=ends)


@primitive("slice")
def _slice(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    params = equation.params
    strides = params["strides"] or (1,) * len(x.sizes)
    return strided(body, x, params["start_indices"], params["limit_indices"], strides, out_shape(equation))


@primitive("pad")
def _pad(body: FunctionBody, equation: JaxprEqn, x: Value, value: Value) -> Value:
    config = equation.params["padding_config"]
    for axis, (_, _, between) in enumerate(config):
        if between:
            x = _spread(body, x, value, axis, between)
    crops = [(max(-low, 0), max(-high, 0)) for low, high, _ in config if not has_symbols((low, high))]
    if len(crops) == len(config) and any(low or high for low, high in crops):
        limits = [size - high for size, (_, high) in zip(x.sizes, crops, strict=True)]
        starts = [low for low, _ in crops]
        shape = tuple(limit - start for limit, start in zip(limits, starts, strict=True))
        x = strided(body, x, starts, limits, [1] * len(shape), shape)
    pairs = [
        (low if is_symbolic(low) else max(low, 0), high if is_symbolic(high) else max(high, 0))
        for low, high, _ in config
    ]
    if all(not is_symbolic(n) and n == 0 for pair in pairs for n in pair):
        return x
    if has_symbols([n for pair in pairs for n in pair]):
        paddings = body.reshape(body.shape([n for pair in pairs for n in pair]), (len(pairs), 2))
    else:
        paddings = body.constant(pairs, np.int32)
    if value.constant is not None and not value.constant.any():
        return body.emit("Pad", [x, paddings], out_shape(equation))
    return body.emit("PadV2", [x, paddings, value], out_shape(equation))


def _spread(body: FunctionBody, x: Value, value: Value, axis: int, between: int) -> Value:
    """A tensor with cells of `value` between those of an axis."""
    sizes = list(x.sizes)
    apart = [*sizes[: axis + 1], 1, *sizes[axis + 1 :]]
    pads = [(0, 0)] * len(apart)
    pads[axis + 1] = (0, between)
    padded = [*sizes[: axis + 1], 1 + between, *sizes[axis + 1 :]]
    wide = body.emit("PadV2", [body.reshape(x, apart), body.constant(pads, np.int32), value], tuple(padded))
    merged = [*sizes[:axis], sizes[axis] * (1 + between), *sizes[axis + 1 :]]
    found = body.reshape(wide, merged)
    limits = [*merged[:axis], merged[axis] - between, *merged[axis + 1 :]]
    return strided(body, found, [0] * len(sizes), limits, [1] * len(sizes), tuple(limits))


@primitive("iota")
def _iota(body: FunctionBody, equation: JaxprEqn) -> Value:
    shape, axis, dtype = out_shape(equation), equation.params["dimension"], out_dtype(equation)
    return body.arange(shape, axis, dtype)


@primitive("dim_as_value")
def _size(body: FunctionBody, equation: JaxprEqn) -> Value:
    return body.cast(body.size(equation.params["dim"]), out_dtype(equation))


@primitive("empty", "empty2")
def _empty(body: FunctionBody, equation: JaxprEqn) -> Value:
    zero = body.constant(0, out_dtype(equation))
    return body.emit("Fill", [body.shape(out_shape(equation)), zero], out_shape(equation))


@primitive("shard_map", "pallas_call", "custom_call", "ffi_call", "pure_callback", "io_callback")
def _foreign(body: FunctionBody, equation: JaxprEqn, *_: Value) -> Value:
    raise CannotLower(f"comes to {equation.primitive.name!r}, which only XLA can run")


@primitive("top_k")
def _top_k(body: FunctionBody, equation: JaxprEqn, x: Value) -> list[Value]:
    k = body.constant(equation.params["k"], "int32")
    if equation.params.get("axis", len(x.sizes) - 1) not in (-1, len(x.sizes) - 1):
        raise CannotLower("takes the largest along an axis that is not the last")
    values, places = body.emit("TopKV2", [x, k], [out_shape(equation), out_shape(equation, 1)])
    return [values, body.cast(places, out_dtype(equation, 1))]


@primitive("sort")
def _sort(body: FunctionBody, equation: JaxprEqn, *xs: Value) -> list[Value]:
    """Sorted by the first, or by the last of several keys: TensorFlow has an op for the largest."""
    axis, keys = equation.params["dimension"], equation.params["num_keys"]
    rank = len(xs[0].sizes)
    order = [i for i in range(rank) if i != axis] + [axis]
    back = [order.index(i) for i in range(rank)]
    moved = [body.transpose(x, order) for x in xs]
    for key in range(keys - 1, -1, -1):
        first = moved[key]
        if first.dtype.is_bool:
            first = body.cast(first, "int32")
        if first.dtype.name.startswith("uint"):
            first = body.cast(first, "int64")
        shape = first.sizes
        _, places = body.emit(
            "TopKV2", [body.emit("Neg", [first], shape), body.size(shape[-1])], [shape, shape]
        )
        moved = [_along_last(body, x, places) for x in moved]
    return [body.transpose(x, back) for x in moved]


def _along_last(body: FunctionBody, x: Value, places: Value) -> Value:
    """The elements at places along the last axis."""
    batch = len(x.sizes) - 1
    axis = body.constant(batch, "int32")
    return body.emit("GatherV2", [x, places, axis], x.sizes, batch_dims=batch)
