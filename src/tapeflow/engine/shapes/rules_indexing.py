"""Rules for primitives that find elements by number: gather, scatter, dynamic slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.shapes.expression import NotPadded, Size, grows, has_symbols, is_symbolic
from tapeflow.engine.shapes.padding import Padding, bound, rule

_Mode = jax.lax.GatherScatterMode


def _shape_of(atom: Any) -> tuple[Size, ...]:
    return tuple(atom.aval.shape)


@rule("gather")
def _gather(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters, (value, indices) = equation.params, operands
    shape, numbers = _shape_of(equation.invars[0]), parameters["dimension_numbers"]
    lengths = padding.shape(parameters["slice_sizes"])
    mode = parameters["mode"]
    indexed = list(numbers.start_index_map)
    changed: dict[str, Any] = {"slice_sizes": lengths}
    if not has_symbols([shape[axis] for axis in indexed]):
        return bound(equation, [value, indices], **changed)
    if not all(grows(shape[axis] - parameters["slice_sizes"][axis]) for axis in indexed):
        raise NotPadded("a gather from fewer places as sizes grow")
    limits = _limits(padding, shape, indexed, parameters["slice_sizes"], indices.dtype)
    if mode in (_Mode.CLIP, _Mode.PROMISE_IN_BOUNDS):  # XLA clips what was promised
        return bound(equation, [value, jnp.clip(indices, 0, limits)], **changed)
    found = bound(equation, [value, jnp.clip(indices, 0, limits)], **changed, mode=_Mode.PROMISE_IN_BOUNDS)
    is_there = jnp.all((indices >= 0) & (indices <= limits), axis=-1)
    is_there = jnp.expand_dims(is_there, sorted(numbers.offset_dims))
    return jnp.where(is_there, found, _absent(parameters["fill_value"], found.dtype))


def _limits(
    padding: Padding, shape: Sequence[Size], indexed: Sequence[int], lengths: Sequence[Size], dtype: Any
) -> Any:
    """The highest index at which a slice lies among true elements, for each axis that is indexed."""
    return jnp.stack([jnp.asarray(padding.size(shape[a] - lengths[a]), dtype) for a in indexed])


def _absent(fill: Any, dtype: Any) -> Any:
    """What a gather gives where there is nothing."""
    if fill is not None:
        return jnp.asarray(fill, dtype)
    if jnp.issubdtype(dtype, jnp.inexact):
        return jnp.asarray(np.nan, dtype)
    if dtype == np.bool_:
        return jnp.asarray(True)
    info = np.iinfo(dtype)
    return jnp.asarray(info.max if info.min == 0 else info.min, dtype)


@rule("scatter", "scatter-add", "scatter_add", "scatter-mul", "scatter_mul")
@rule("scatter_min", "scatter_max", "scatter-min", "scatter-max", "scatter_sub", "scatter-sub")
def _scatter(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters, (value, indices, updates) = equation.params, operands
    numbers = parameters["dimension_numbers"]
    shape, places = _shape_of(equation.invars[0]), _shape_of(equation.invars[1])
    given = _shape_of(equation.invars[2])
    indexed = list(numbers.scatter_dims_to_operand_dims)
    dropped = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    kept = [axis for axis in range(value.ndim) if axis not in dropped]
    lengths: list[Size] = [1] * value.ndim
    for axis, window in zip(kept, numbers.update_window_dims, strict=True):
        lengths[axis] = given[window]
        if is_symbolic(given[window]) and (axis in indexed or not bool(given[window] == shape[axis])):
            # What is behind the true updates would overwrite what is there, but zeros can be added.
            if equation.primitive.name not in ("scatter-add", "scatter_add"):
                raise NotPadded("a scatter of windows that vary")
            if not grows(shape[axis] - given[window]):
                raise NotPadded("a scatter to fewer places as sizes grow")
            updates = padding.masked(updates, given, [window], 0)
    mode = parameters["mode"]
    is_there: Any = jnp.ones(indices.shape[:-1], bool)
    for axis in range(len(places) - 1):
        if is_symbolic(places[axis]):
            is_there = is_there & padding.is_true(places[:-1], axis)
    if has_symbols([shape[axis] for axis in indexed]):
        limits = _limits(padding, shape, indexed, lengths, indices.dtype)
        if mode == _Mode.CLIP:
            indices = jnp.clip(indices, 0, limits)
        else:
            is_there = is_there & jnp.all((indices >= 0) & (indices <= limits), axis=-1)
    elif mode == _Mode.CLIP:
        limits = jnp.asarray([shape[a] - lengths[a] for a in indexed], indices.dtype)
        indices = jnp.clip(indices, 0, limits)
    # What is behind the true updates goes nowhere.
    nowhere = np.array(np.iinfo(indices.dtype).max, indices.dtype)
    indices = jnp.where(is_there[..., None], indices, nowhere)
    return bound(
        equation,
        [value, indices, updates],
        mode=_Mode.FILL_OR_DROP,
        indices_are_sorted=False,
        unique_indices=False,
    )


@rule("dynamic_slice")
def _dynamic_slice(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    value, *starts = operands
    shape, lengths = _shape_of(equation.invars[0]), equation.params["slice_sizes"]
    starts = _clamped(padding, shape, lengths, starts)
    for axis in _partial(shape, lengths):
        # What is behind the true elements of the slice may be any element.
        places = starts[axis].astype(jnp.int32) + jnp.arange(padding.capacity(lengths[axis]), dtype=jnp.int32)
        value = jnp.take(value, places, axis=axis, mode="clip")
        starts[axis] = jnp.zeros_like(starts[axis])
    return jax.lax.dynamic_slice(value, starts, padding.shape(lengths))


@rule("dynamic_update_slice")
def _dynamic_update_slice(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    value, update, *starts = operands
    shape, lengths = _shape_of(equation.invars[0]), _shape_of(equation.invars[1])
    starts = _clamped(padding, shape, lengths, starts)
    axes = _partial(shape, lengths)
    if not axes:
        return jax.lax.dynamic_update_slice(value, update, starts)
    is_there: Any = True
    for axis in range(value.ndim):
        places = jnp.arange(value.shape[axis], dtype=jnp.int32) - starts[axis].astype(jnp.int32)
        update = jnp.take(update, places, axis=axis, mode="clip")
        is_inside = (places >= 0) & (places < padding.size(lengths[axis]))
        is_there = is_there & jnp.expand_dims(is_inside, [a for a in range(value.ndim) if a != axis])
    return jnp.where(is_there, update, value)


def _partial(shape: Sequence[Size], lengths: Sequence[Size]) -> list[int]:
    """The axes of which a part is taken whose length varies."""
    pairs = enumerate(zip(lengths, shape, strict=True))
    return [axis for axis, (a, b) in pairs if is_symbolic(a) and not bool(a == b)]


def _clamped(
    padding: Padding, shape: Sequence[Size], lengths: Sequence[Size], starts: Sequence[Any]
) -> list[Any]:
    """Where slices begin, so that they lie among the true elements."""
    found = []
    for size, length, start in zip(shape, lengths, starts, strict=True):
        start = jnp.asarray(start)
        last = jnp.asarray(padding.size(size) - padding.size(length), start.dtype)
        found.append(jnp.clip(start, 0, last) if is_symbolic(size) else start)
    return found
