"""Rules for primitives that move elements about: shapes, slices, joins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp, threefry2x32_p
from tapeflow.engine.shapes.expression import NotPadded, Size, has_symbols, is_symbolic
from tapeflow.engine.shapes.padding import Padding, bound, rule


def _shape_of(atom: Any) -> tuple[Size, ...]:
    return tuple(atom.aval.shape)


@rule("dim_as_value")
def _dim_as_value(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    return jnp.asarray(padding.size(equation.params["dim"]), equation.outvars[0].aval.dtype)


@rule("broadcast_in_dim")
def _broadcast(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    shape = padding.shape(equation.params["shape"])
    dimensions = tuple(int(d) for d in equation.params["broadcast_dimensions"])
    return jax.lax.broadcast_in_dim(operands[0], shape, dimensions)


@rule("iota")
def _iota(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters = equation.params
    return jax.lax.broadcasted_iota(
        parameters["dtype"], padding.shape(parameters["shape"]), parameters["dimension"]
    )


@rule("bitcast_convert_type")
def _bitcast(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    if np.dtype(equation.params["new_dtype"]).itemsize != operands[0].dtype.itemsize:
        raise NotPadded("a bitcast to another width")
    return bound(equation, operands)


@rule("squeeze")
def _squeeze(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    return bound(equation, operands)


@rule("reshape")
def _reshape(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    if equation.params["dimensions"] is not None:
        raise NotPadded("a reshape with dimensions")
    before, after = _shape_of(equation.invars[0]), _shape_of(equation.outvars[0])
    start = 0
    while start < min(len(before), len(after)) and _is_same(before[start], after[start]):
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and _is_same(before[-1 - end], after[-1 - end]):
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if _keeps_front(old) and _keeps_front(new):
        return operands[0].reshape(padding.shape(after))
    front, back = padding.shape(before[:start]), padding.shape(before[len(before) - end :])
    flat = operands[0].reshape((*front, math.prod(padding.shape(old)), *back))
    moved = jnp.take(flat, _moved(padding, old, new), axis=start, mode="clip")
    return moved.reshape(padding.shape(after))


def _is_same(one: Size, other: Size) -> bool:
    return is_symbolic(one) == is_symbolic(other) and bool(one == other)


def _keeps_front(shape: Sequence[Size]) -> bool:
    """Whether true elements stay in front when axes are merged or split: only the first varies, but for ones."""
    longer = [size for size in shape if is_symbolic(size) or size != 1]
    return not has_symbols(longer[1:])


def _moved(padding: Padding, old: Sequence[Size], new: Sequence[Size]) -> Any:
    """For each element of the new axes, where it is found in the old ones, both as padded."""
    shape = padding.shape(new)
    number: Any = jnp.zeros(shape, jnp.int32)
    stride: Any = 1
    for axis in reversed(range(len(new))):
        number = number + jax.lax.broadcasted_iota(jnp.int32, shape, axis) * stride
        stride = stride * padding.size(new[axis])
    place: Any = jnp.zeros(shape, jnp.int32)
    stride, capacities = 1, padding.shape(old)
    for axis in reversed(range(len(old))):
        size = jnp.maximum(jnp.asarray(padding.size(old[axis]), jnp.int32), 1)
        place = place + number % size * stride if axis else place + number * stride
        number = number // size
        stride *= capacities[axis]
    return place.ravel()


def _taken(
    padding: Padding, value: Any, shape: Sequence[Size], axis: int, places: Any, fill: Any = None
) -> Any:
    """Elements of an axis by number; where there is no true one, `fill`."""
    found = jnp.take(value, places, axis=axis, mode="clip")
    if fill is None:
        return found
    is_there = (places >= 0) & (places < padding.size(shape[axis]))
    is_there = jnp.expand_dims(is_there, [a for a in range(value.ndim) if a != axis])
    return jnp.where(is_there, found, fill)


@rule("slice")
def _slice(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters, value = equation.params, operands[0]
    before, after = _shape_of(equation.invars[0]), _shape_of(equation.outvars[0])
    strides = parameters["strides"] or (1,) * len(before)
    for axis, (first, stride) in enumerate(zip(parameters["start_indices"], strides, strict=True)):
        if is_symbolic(stride):
            raise NotPadded("a slice with a step that varies")
        length = padding.capacity(after[axis])
        if is_symbolic(first):
            places = padding.size(first) + jnp.arange(length, dtype=jnp.int32) * stride
            value = _taken(padding, value, before, axis, places)
        else:
            last = first + (length - 1) * stride + 1 if length else first
            value = jax.lax.slice_in_dim(value, first, last, stride, axis)
    return value


@rule("split")
def _split(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    axis, value = equation.params["axis"], operands[0]
    sizes = [atom.aval.shape[axis] for atom in equation.outvars]
    first: Size = 0
    found = []
    for size in sizes:
        length = padding.capacity(size)
        if is_symbolic(first):
            places = padding.size(first) + jnp.arange(length, dtype=jnp.int32)
            found.append(jnp.take(value, places, axis=axis, mode="clip"))
        else:
            found.append(jax.lax.slice_in_dim(value, first, first + length, 1, axis))
        first = first + size
    return found


@rule("rev")
def _rev(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    value, shape = operands[0], _shape_of(equation.invars[0])
    for axis in equation.params["dimensions"]:
        if is_symbolic(shape[axis]):
            places = padding.size(shape[axis]) - 1 - jnp.arange(value.shape[axis], dtype=jnp.int32)
            value = _taken(padding, value, shape, axis, places)
        else:
            value = jax.lax.rev(value, [axis])
    return value


@rule("tile")
def _tile(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    value, shape = operands[0], _shape_of(equation.invars[0])
    for axis, times in enumerate(equation.params["reps"]):
        if is_symbolic(times):
            raise NotPadded("a tile as often as a size says")
        if is_symbolic(shape[axis]) and times > 1:
            length = padding.capacity(shape[axis]) * times
            places = jnp.arange(length, dtype=jnp.int32) % padding.size(shape[axis])
            value = _taken(padding, value, shape, axis, places)
        else:
            value = jnp.tile(value, [times if a == axis else 1 for a in range(value.ndim)])
    return value


@rule("pad")
def _pad(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    value, fill = operands
    before, after = _shape_of(equation.invars[0]), _shape_of(equation.outvars[0])
    for axis, (low, high, interior) in enumerate(equation.params["padding_config"]):
        length = padding.capacity(after[axis])
        if is_symbolic(interior):
            raise NotPadded("padding inside an axis that varies")
        if not has_symbols((before[axis], low, high)):
            config = [(0, 0, 0)] * value.ndim
            config[axis] = (low, high, interior)
            value = jax.lax.pad(value, fill, config)
            continue
        steps = jnp.arange(length, dtype=jnp.int32) - padding.size(low)
        places = jnp.where(steps % (interior + 1) == 0, steps // (interior + 1), -1)
        value = _taken(padding, value, before, axis, places, fill)
    return value


@rule("concatenate")
def _concatenate(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    axis = equation.params["dimension"]
    shapes = [_shape_of(atom) for atom in equation.invars]
    length = padding.capacity(_shape_of(equation.outvars[0])[axis])
    if not has_symbols([shape[axis] for shape in shapes[:-1]]):
        return jax.lax.concatenate(operands, axis)
    places = jnp.arange(length, dtype=jnp.int32)
    first: Any = 0
    found: Any = None
    for value, shape in zip(operands, shapes, strict=True):
        part = _taken(padding, value, shape, axis, places - first)
        if found is None:
            found = part
        else:
            begins = jnp.expand_dims(places >= first, [a for a in range(part.ndim) if a != axis])
            found = jnp.where(begins, part, found)
        first = first + padding.size(shape[axis])
    return found


@rule("random_bits")
def _random_bits(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    """Each element's bits follow from its number among the true ones, as in JAX's partitionable threefry."""
    (key,) = operands
    width = equation.params["bit_width"]
    if key.ndim or width not in (8, 16, 32, 64):
        raise NotPadded("random numbers for several keys")
    shape = equation.params["shape"]
    number: Any = jnp.zeros(padding.shape(shape), jnp.uint64)
    stride: Any = jnp.uint64(1)
    for axis in reversed(range(len(shape))):
        number = number + jax.lax.broadcasted_iota(jnp.uint64, number.shape, axis) * stride
        stride = stride * jnp.asarray(padding.size(shape[axis]), jnp.uint64)
    words = jax.random.key_data(key)
    high, low = (number >> np.uint64(32)).astype(jnp.uint32), number.astype(jnp.uint32)
    first, second = _threefry(words, high, low)
    if width == 64:
        return first.astype(jnp.uint64) << np.uint64(32) | second.astype(jnp.uint64)
    return (first ^ second).astype(equation.outvars[0].aval.dtype)


def _threefry(words: Any, high: Any, low: Any) -> Any:
    keys = [jnp.broadcast_to(words[i], high.shape) for i in range(2)]
    return threefry2x32_p.bind(*keys, high, low)
