"""What each primitive does, with numpy: the rules by which `host` interprets small ops.

Results are those of the compiled op, up to the last bits of floating-point functions: integers divide and convert as
in XLA, indices out of range are clamped or give what XLA gives.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Rule = Callable[..., Any]
Operands = Sequence[tuple[np.dtype, tuple[int, ...]]]
"""The dtypes and shapes of operands."""


def _divide(x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return x / y
    divisor = np.where(y == 0, 1, y)
    floor = x // divisor
    has_rest = floor * divisor != x
    quotient = np.where(has_rest & ((x < 0) ^ (divisor < 0)), floor + 1, floor)
    return np.where(y == 0, np.asarray(-1).astype(x.dtype), quotient)  # as XLA defines it


def _remainder(x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return np.fmod(x, y)
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


def _convert(x: Any, *, new_dtype: Any, **_: Any) -> Any:
    dtype = np.dtype(new_dtype)
    if x.dtype.kind == "f" and dtype.kind in "iu":
        info = np.iinfo(dtype)  # XLA saturates, and NaN becomes 0
        wide = np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
        inside = (wide > info.min) & (wide < info.max)
        limits = np.where(wide >= info.max, info.max, info.min).astype(dtype)
        return np.where(inside, np.where(inside, wide, 0).astype(dtype), limits)
    return x.astype(dtype)


def _round(x: Any, *, rounding_method: Any, **_: Any) -> Any:
    if int(rounding_method) == 1:
        return np.round(x)
    return np.trunc(x + np.copysign(x.dtype.type(0.5), x))  # away from zero


def _broadcast(operands: Operands, *, shape: Any, broadcast_dimensions: Any, **_: Any) -> Rule:
    given = operands[0][1]
    placed = [1] * len(shape)
    for i, d in enumerate(broadcast_dimensions):
        placed[d] = given[i]
    if tuple(placed) == shape:
        return lambda x: x.reshape(shape)
    return lambda x: np.broadcast_to(x.reshape(placed), shape)


def _pad(x: Any, fill: Any, *, padding_config: Any, **_: Any) -> Any:
    if not x.ndim:
        return x
    return np.pad(x, [(low, high) for low, high, _ in padding_config], constant_values=fill)


def _iota(*_: Any, dtype: Any, shape: Any, dimension: int, **__: Any) -> Any:
    row = np.arange(shape[dimension], dtype=dtype)
    return np.broadcast_to(row.reshape([-1 if d == dimension else 1 for d in range(len(shape))]), shape)


def _slice(operands: Operands, *, start_indices: Any, limit_indices: Any, strides: Any, **_: Any) -> Rule:
    steps = strides or (1,) * len(start_indices)
    place = tuple([slice(a, b, s) for a, b, s in zip(start_indices, limit_indices, steps, strict=True)])
    return lambda x: x[place]


def _dynamic_slice(x: Any, *starts: Any, slice_sizes: Any, **_: Any) -> Any:
    begins = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, slice_sizes, strict=True)]
    return x[tuple(slice(b, b + k) for b, k in zip(begins, slice_sizes, strict=True))]


def _dynamic_update(x: Any, update: Any, *starts: Any, **_: Any) -> Any:
    out = x.copy()
    begins = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, update.shape, strict=True)]
    out[tuple(slice(b, b + k) for b, k in zip(begins, update.shape, strict=True))] = update
    return out


def _reduce(function: np.ufunc) -> Callable[..., Rule]:
    def make(operands: Operands, *, axes: Any, **_: Any) -> Rule:
        dtype = operands[0][0]
        axis = tuple(axes)
        return lambda x: function.reduce(x, axis, dtype)

    return make


def _reduce_extreme(function: np.ufunc, is_max: bool) -> Callable[..., Rule]:
    def make(operands: Operands, *, axes: Any, **_: Any) -> Rule:
        dtype = operands[0][0]
        axis = tuple(axes)
        if dtype.kind == "f":
            least: Any = -np.inf if is_max else np.inf
        elif dtype.kind == "b":
            least = not is_max
        else:
            info = np.iinfo(dtype)
            least = info.min if is_max else info.max
        # Of nothing: the identity, as in XLA.
        return lambda x: function.reduce(x, axis, initial=least)

    return make


def _arg_reduce(function: Callable[..., Any]) -> Rule:
    return lambda x, *, axes, **_: function(x, axis=axes[0])


def _cumulate(function: Callable[..., Any]) -> Rule:
    def rule(x: Any, *, axis: int, reverse: bool, **_: Any) -> Any:
        turned = np.flip(x, axis) if reverse else x
        out = function(turned, axis=axis)
        return np.flip(out, axis) if reverse else out

    return rule


def _select(which: Any, *cases: Any) -> Any:
    if which.dtype == bool:
        return np.where(which, cases[1], cases[0])
    return np.choose(which, cases)


def _sort(*operands: Any, dimension: int, num_keys: int, **_: Any) -> Any:
    keys = [np.where(o == 0, 0, o) if o.dtype.kind == "f" else o for o in operands[:num_keys]]
    if num_keys == 1:
        order = np.argsort(keys[0], axis=dimension, kind="stable")
    else:
        order = np.lexsort(keys[::-1], axis=dimension)
    return [np.take_along_axis(o, order, axis=dimension) for o in operands]


def _dot(operands: Operands, *, dimension_numbers: Any, preferred_element_type: Any = None, **_: Any) -> Rule:
    (cx, cy), (bx, by) = dimension_numbers
    (one, x), (other, y) = operands
    free_x = [d for d in range(len(x)) if d not in (*cx, *bx)]
    free_y = [d for d in range(len(y)) if d not in (*cy, *by)]
    batch, inner = [x[d] for d in bx], math.prod(x[d] for d in cx)
    left, right = (*bx, *free_x, *cx), (*by, *cy, *free_y)
    first = (*batch, math.prod(x[d] for d in free_x), inner)
    second = (*batch, inner, math.prod(y[d] for d in free_y))
    shape = (*batch, *[x[d] for d in free_x], *[y[d] for d in free_y])
    dtype = np.dtype(preferred_element_type or one)
    is_plain = left == tuple(range(len(x))) and right == tuple(range(len(y))) and one == other == dtype
    if is_plain and (first, second) == (x, y):
        return np.matmul

    def run(x: Any, y: Any) -> Any:
        x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
        product = np.matmul(x.transpose(left).reshape(first), y.transpose(right).reshape(second))
        return product.reshape(shape)

    return run


def _windows(
    shape: tuple[int, ...],
    batch: tuple[int, ...],
    sizes: Sequence[int],
    indexed: Sequence[int],
    along: dict[int, int],
) -> Callable[[Any], tuple[list[Any], Any]]:
    """How windows are found in an array: for indices, the places along each axis, and which windows lie inside.

    Args:
        shape: that of the array.
        batch: that of the windows.
        sizes: those of one window.
        indexed: the axes that indices are given for.
        along: of other axes, the axis of the batch that runs along with it.
    """
    dims, ones = range(len(shape)), (1,) * len(shape)
    offsets = [np.arange(sizes[d]).reshape([-1 if e == d else 1 for e in dims]) for d in dims]
    rows = {}
    for d, axis in along.items():
        row = np.arange(shape[d]).reshape([-1 if e == axis else 1 for e in range(len(batch))])
        rows[d] = np.broadcast_to(row, batch).reshape(batch + ones)
    column = {d: i for i, d in enumerate(indexed)}

    def places(starts: Any) -> tuple[list[Any], Any]:
        is_inside: Any = True
        found: list[Any] = []
        for d in dims:
            if d in column:
                given = starts[..., column[d]]
                begin = np.minimum(np.maximum(given, 0), shape[d] - sizes[d])
                is_inside = is_inside & (begin == given)
                begin = begin.reshape(batch + ones)
                found.append(begin + offsets[d] if sizes[d] > 1 else begin)
            else:
                found.append(rows[d] if d in rows else offsets[d])
        return found, is_inside

    return places


def _gather(
    operands: Operands, *, dimension_numbers: Any, slice_sizes: Any, mode: Any, fill_value: Any, **_: Any
) -> Rule:
    numbers = dimension_numbers
    (dtype, shape), batch = operands[0], operands[1][1][:-1]
    along = dict(zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True))
    windows = _windows(shape, batch, slice_sizes, numbers.start_index_map, along)
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    found = batch + tuple([slice_sizes[d] for d in range(len(shape)) if d not in dropped])
    order: list[int] = []
    batches, slices = iter(range(len(batch))), iter(range(len(batch), len(found)))
    for d in range(len(found)):
        order.append(next(slices) if d in numbers.offset_dims else next(batches))
    fills = "FILL" in str(mode)
    if fill_value is None:
        fill_value = np.nan if dtype.kind == "f" else _missing(dtype)
    fill = np.asarray(fill_value, dtype)

    def run(x: Any, starts: Any) -> Any:
        index, is_inside = windows(starts)
        out = x[tuple(index)]
        if fills and not np.all(is_inside):
            out = np.where(np.reshape(is_inside, batch + (1,) * len(shape)), out, fill)
        return out.reshape(found).transpose(order)

    return run


def _scatter(combine: np.ufunc | None) -> Callable[..., Rule]:
    def make(operands: Operands, *, dimension_numbers: Any, mode: Any, **_: Any) -> Rule:
        numbers = dimension_numbers
        shape, given, updates = [found for _dtype, found in operands]
        batch, dims = given[:-1], range(len(shape))
        dropped = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
        rest = iter(numbers.update_window_dims)
        sizes = [1 if d in dropped else updates[next(rest)] for d in dims]
        along = dict(zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims, strict=True))
        windows = _windows(shape, batch, sizes, numbers.scatter_dims_to_operand_dims, along)
        order = [d for d in range(len(updates)) if d not in numbers.update_window_dims]
        order += numbers.update_window_dims
        clips = "CLIP" in str(mode)

        def run(x: Any, starts: Any, values: Any) -> Any:
            index, is_inside = windows(starts)
            values = values.transpose(order).reshape((*batch, *sizes))
            if not (clips or np.all(is_inside)):
                counted = np.broadcast_to(is_inside, batch)
                index = [
                    np.broadcast_to(i, (*batch, *np.shape(i)[len(i.shape) - len(shape) :]))[counted]
                    for i in index
                ]
                values = values[counted]
            out = x.copy()
            if combine is None:
                out[tuple(index)] = values
            else:
                combine.at(out, tuple(index), values)
            return out

        return run

    return make


def _missing(dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min


def _sign(x: Any) -> Any:
    return np.where(np.isnan(x), x, np.sign(x)) if x.dtype.kind == "f" else np.sign(x)


def _integer_power(x: Any, *, y: int) -> Any:
    if y == 2:
        return x * x
    if y == 3:
        return x * x * x
    return np.power(x, y) if y >= 0 else 1 / np.power(x, -y)


def _top_k(x: Any, *, k: int, axis: int = -1, **_: Any) -> Any:
    # Backwards, so that of equal elements those in front come first.
    turned = np.flip(x, axis)
    order = np.flip(np.argsort(turned, axis=axis, kind="stable"), axis)
    order = np.take(order, range(k), axis=axis)
    return [np.take_along_axis(turned, order, axis=axis), (x.shape[axis] - 1 - order).astype(np.int32)]


_SAME_NAME = "abs floor ceil exp exp2 expm1 log log1p sin cos tan sinh cosh tanh sqrt cbrt square nextafter"
PLAIN: dict[str, Rule] = {
    **{name: getattr(np, name) for name in _SAME_NAME.split()},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ["sin", "cos", "tan", "sinh", "cosh", "tanh"]},
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "neg": np.negative,
    "sign": _sign,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "not": np.invert,
    "is_finite": np.isfinite,
    "copy": np.array,
    "copy_p": np.array,
    "stop_gradient": np.array,
    "add": np.add,
    "add_any": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _divide,
    "rem": _remainder,
    "max": np.maximum,
    "min": np.minimum,
    "pow": np.power,
    "atan2": np.arctan2,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "optimization_barrier": lambda *xs: list(xs),
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "select_n": _select,
}
"""By the name of a primitive: a function of its operands, whatever its parameters are."""

WITH_PARAMETERS: dict[str, Rule] = {
    "round": _round,
    "integer_pow": _integer_power,
    "convert_element_type": _convert,
    "reshape": lambda x, *, new_sizes, **_: x.reshape(new_sizes),
    "transpose": lambda x, *, permutation, **_: x.transpose(permutation),
    "squeeze": lambda x, *, dimensions, **_: x.squeeze(tuple(dimensions)),
    "concatenate": lambda *xs, dimension, **_: np.concatenate(xs, dimension),
    "stack": lambda *xs, axis, **_: np.stack(xs, axis),
    "unstack": lambda x, *, axis, **_: [x.take(i, axis) for i in range(x.shape[axis])],
    "split": lambda x, *, sizes, axis, **_: np.split(x, np.cumsum(sizes)[:-1], axis),
    "rev": lambda x, *, dimensions, **_: np.flip(x, tuple(dimensions)),
    "pad": _pad,
    "iota": _iota,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update,
    "argmax": _arg_reduce(np.argmax),
    "argmin": _arg_reduce(np.argmin),
    "cumsum": _cumulate(np.cumsum),
    "cumprod": _cumulate(np.cumprod),
    "cummax": _cumulate(np.maximum.accumulate),
    "cummin": _cumulate(np.minimum.accumulate),
    "sort": _sort,
    "top_k": _top_k,
}
"""By the name of a primitive: a function of its operands and, by keyword, its parameters."""

MADE: dict[str, Callable[..., Rule]] = {
    "broadcast_in_dim": _broadcast,
    "slice": _slice,
    "reduce_sum": _reduce(np.add),
    "reduce_prod": _reduce(np.multiply),
    "reduce_max": _reduce_extreme(np.maximum, is_max=True),
    "reduce_min": _reduce_extreme(np.minimum, is_max=False),
    "reduce_and": _reduce(np.bitwise_and),
    "reduce_or": _reduce(np.bitwise_or),
    "dot_general": _dot,
    "gather": _gather,
    "scatter": _scatter(None),
    "scatter-add": _scatter(np.add),
    "scatter-mul": _scatter(np.multiply),
    "scatter-min": _scatter(np.minimum),
    "scatter-max": _scatter(np.maximum),
}
"""By the name of a primitive: what makes its function, given the operands' dtypes and shapes, and the parameters."""
