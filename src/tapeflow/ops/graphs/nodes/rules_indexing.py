"""JAX's gather, scatter and dynamic slices, as nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.shapes.expression import Size
from tapeflow.engine.values.annotations import Shape
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.ops.graphs.nodes.function_body import CannotLower, FunctionBody, Value
from tapeflow.ops.graphs.nodes.lowering import primitive
from tapeflow.ops.graphs.nodes.rules_elementwise import out_shape

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


_INT = as_dtype("int32")


@primitive("gather")
def _gather(body: FunctionBody, equation: JaxprEqn, x: Value, indices: Value) -> Value:
    params, shape = equation.params, out_shape(equation)
    numbers, sizes = params["dimension_numbers"], params["slice_sizes"]
    mode = str(params["mode"]).rpartition(".")[2]
    indices = indices if indices.dtype.name == "int64" else body.cast(indices, "int32")
    most = [size - part for size, part in zip(x.sizes, sizes, strict=True)]
    clamped, inside = _bounded(body, indices, [most[a] for a in numbers.start_index_map], mode)
    found = _taken(body, x, clamped, numbers, sizes, shape)
    if inside is None:
        return found
    batch = [i for i in range(len(shape)) if i not in numbers.offset_dims]
    aligned = [shape[i] if i in batch else 1 for i in range(len(shape))]
    fill = params["fill_value"]
    if fill is None:
        dtype = np.dtype(x.dtype.as_numpy_dtype)
        kind = dtype.kind
        fill = (
            np.nan
            if kind in "fcV"
            else np.iinfo(dtype).min
            if kind == "i"
            else np.iinfo(dtype).max
            if kind == "u"
            else True
        )
    kept = body.reshape(inside, aligned)
    return body.emit("SelectV2", [kept, found, body.constant(fill, x.dtype)], shape)


def _bounded(body: FunctionBody, indices: Value, most: list[Size], mode: str) -> tuple[Value, Value | None]:
    """Indices that lie inside, and which of them did, where that matters."""
    if mode == "PROMISE_IN_BOUNDS" or not most:
        return indices, None
    limit = body.cast(body.shape(most), indices.dtype)
    zero = body.constant(0, indices.dtype)
    low = body.emit("Maximum", [indices, zero], indices.sizes)
    clamped = body.emit("Minimum", [low, limit], indices.sizes)
    if mode == "CLIP":
        return clamped, None
    same = body.emit("Equal", [clamped, indices], indices.sizes)
    last = len(indices.sizes) - 1
    return clamped, body.emit("All", [same, body.constant([last], np.int32)], indices.sizes[:-1])


def _taken(body: FunctionBody, x: Value, indices: Value, numbers: Any, sizes: Any, shape: Shape) -> Value:
    offsets, collapsed, starts = numbers.offset_dims, numbers.collapsed_slice_dims, numbers.start_index_map
    batching = numbers.operand_batching_dims
    whole = [str(part) == str(size) for part, size in zip(sizes, x.sizes, strict=True)]
    kept = [a for a in range(len(x.sizes)) if a not in collapsed and a not in batching]
    if not batching and sorted(collapsed) == sorted(starts) and all(whole[a] for a in kept):
        batch = [i for i in range(len(shape)) if i not in offsets]
        if len(starts) == 1:
            (axis,) = starts
            places = body.reshape(indices, indices.sizes[:-1])
            found_shape = (*x.sizes[:axis], *places.sizes, *x.sizes[axis + 1 :])
            found = body.emit("GatherV2", [x, places, body.constant(axis, "int32")], found_shape)
            order = [*offsets[:axis], *batch, *offsets[axis:]]
        else:
            moved = body.transpose(x, [*starts, *kept])
            found_shape = (*indices.sizes[:-1], *[x.sizes[a] for a in kept])
            found = body.emit("GatherNd", [moved, indices], found_shape)
            order = [*batch, *offsets]
        return body.transpose(found, [order.index(i) for i in range(len(order))])
    grid = _grid(
        body, indices, numbers, [x.sizes[a] for a in range(len(x.sizes))], shape, offsets, collapsed, starts
    )
    return body.emit("GatherNd", [x, grid], shape)


def _grid(
    body: FunctionBody,
    indices: Value,
    numbers: Any,
    operand: list[Size],
    shape: tuple[Size, ...],
    offsets: Any,
    collapsed: Any,
    starts: Any,
) -> Value:
    """For each element of the slices its place in the operand."""
    is_gather = hasattr(numbers, "offset_dims")
    batching = numbers.operand_batching_dims
    of_indices = numbers.start_indices_batching_dims if is_gather else numbers.scatter_indices_batching_dims
    batch = [i for i in range(len(shape)) if i not in offsets]
    kept = [a for a in range(len(operand)) if a not in collapsed and a not in batching]
    dtype = indices.dtype
    columns = []
    last = len(indices.sizes) - 1
    for axis in range(len(operand)):
        total: Value | None = None
        if axis in starts:
            place = body.constant(list(starts).index(axis), "int32")
            start = body.emit("GatherV2", [indices, place, body.constant(last, "int32")], indices.sizes[:-1])
            total = body.reshape(start, [shape[i] if i in batch else 1 for i in range(len(shape))])
        if axis in batching:
            at = batch[list(of_indices)[list(batching).index(axis)]]
            total = _narrow(body.arange(shape, at, dtype))
        if axis in kept:
            at = offsets[kept.index(axis)]
            step = _narrow(body.arange(shape, at, dtype))
            total = step if total is None else body.emit("AddV2", [total, step], shape)
        if total is None:
            total = body.constant(0, dtype)
        columns.append(body.emit("BroadcastTo", [total, body.shape(shape)], shape))
    return body.emit("Pack", [columns], (*shape, len(operand)), axis=len(shape))


def _narrow(value: Value) -> Value:
    return value if value.narrow is None else value.narrow


_SCATTERS = {
    "scatter": "TensorScatterUpdate",
    "scatter-add": "TensorScatterAdd",
    "scatter_add": "TensorScatterAdd",
    "scatter-sub": "TensorScatterSub",
    "scatter_sub": "TensorScatterSub",
    "scatter-max": "TensorScatterMax",
    "scatter_max": "TensorScatterMax",
    "scatter-min": "TensorScatterMin",
    "scatter_min": "TensorScatterMin",
}


@primitive(*_SCATTERS)
def _scatter(body: FunctionBody, equation: JaxprEqn, x: Value, indices: Value, updates: Value) -> Value:
    numbers = equation.params["dimension_numbers"]
    op = _SCATTERS[equation.primitive.name]
    indices = body.cast(indices, "int32") if indices.dtype.name != "int64" else indices
    window, collapsed = numbers.update_window_dims, numbers.inserted_window_dims
    starts = numbers.scatter_dims_to_operand_dims
    shape = updates.sizes
    kept = [a for a in range(len(x.sizes)) if a not in collapsed and a not in numbers.operand_batching_dims]
    part = {a: shape[w] for a, w in zip(kept, window, strict=True)}
    most = [x.sizes[a] - part.get(a, 1) for a in starts]
    mode = str(equation.params["mode"]).rpartition(".")[2]
    clamped, inside = _bounded(body, indices, most, mode)
    if inside is not None and op in ("TensorScatterAdd", "TensorScatterSub"):
        batch = [i for i in range(len(shape)) if i not in window]
        kept_mask = body.reshape(inside, [shape[i] if i in batch else 1 for i in range(len(shape))])
        updates = body.emit("SelectV2", [kept_mask, updates, body.constant(0, updates.dtype)], shape)
    elif inside is not None:
        clamped = indices  # one that lies outside is an error when it runs
    grid = _grid(body, clamped, numbers, list(x.sizes), shape, window, collapsed, starts)
    return body.emit(op, [x, grid, updates], out_shape(equation))


def _starts(body: FunctionBody, x: Value, parts: Any, indices: tuple[Value, ...]) -> Value:
    found = body.emit("Pack", [[body.cast(i, "int32") for i in indices]], (len(indices),), axis=0)
    most = body.shape([size - part for size, part in zip(x.sizes, parts, strict=True)])
    low = body.emit("Maximum", [found, body.constant(0, "int32")], found.sizes)
    return body.emit("Minimum", [low, most], found.sizes)


@primitive("dynamic_slice")
def _dynamic_slice(body: FunctionBody, equation: JaxprEqn, x: Value, *indices: Value) -> Value:
    sizes = equation.params["slice_sizes"]
    begin = _starts(body, x, sizes, indices[: len(x.sizes)])
    return body.emit("Slice", [x, begin, body.shape(sizes)], out_shape(equation))


@primitive("dynamic_update_slice")
def _dynamic_update(
    body: FunctionBody, equation: JaxprEqn, x: Value, update: Value, *indices: Value
) -> Value:
    shape = update.sizes
    begin = _starts(body, x, shape, indices)
    columns = []
    for axis in range(len(shape)):
        start = body.emit("GatherV2", [begin, body.constant(axis, "int32"), body.constant(0, "int32")], ())
        step = _narrow(body.arange(shape, axis, _INT))
        place = body.emit("AddV2", [step, start], step.sizes)
        columns.append(body.emit("BroadcastTo", [place, body.shape(shape)], shape))
    if not columns:
        return update
    grid = body.emit("Pack", [columns], (*shape, len(shape)), axis=len(shape))
    return body.emit("TensorScatterUpdate", [x, grid, update], out_shape(equation))


@primitive("select_and_scatter_add", "select_and_gather_add")
def _pool_gradient(body: FunctionBody, equation: object, *_: Value) -> Value:
    raise CannotLower("is the gradient of a window, which is no op of TensorFlow's")
