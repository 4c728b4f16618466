"""Small one-off ops on the host: interprets an op's jaxpr with numpy instead of compiling it.

Compiling costs 30 ms however small the op, which is what makes exploring at a prompt feel slow. An
expression of a handful of nodes, small arrays and known primitives is evaluated here in microseconds.
Whether an op can be is decided by its jaxpr alone.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import ClosedJaxpr
from tapeflow.engine.recording.node import Spec

_MOST_ELEMENTS = 1 << 14
_DTYPES = frozenset(
    np.dtype(d)
    for d in [
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool",
    ]
)
Rule = Callable[..., Any]


def is_small(specs: Sequence[Spec]) -> bool:
    """Whether inputs are small enough for the host."""
    return all(math.prod(spec.shape) <= _MOST_ELEMENTS for spec in specs)


def host_function(closed: Any) -> Callable[..., list[np.ndarray]] | None:
    """A numpy function that does what a closed jaxpr does, or `None` if we do not know how."""
    if not _is_known(closed):
        return None

    def run(*values: Any) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            return _interpret(closed, [np.asarray(v) for v in values])

    return run


def _inner(eqn: Any) -> Any:
    """The jaxpr of an equation that only calls another, else `None`."""
    if eqn.primitive.name in (
        "jit",
        "pjit",
        "closed_call",
        "custom_jvp_call",
        "custom_vjp_call",
        "checkpoint",
    ):
        found = eqn.params.get("jaxpr") or eqn.params.get("call_jaxpr") or eqn.params.get("fun_jaxpr")
        return found if hasattr(found, "consts") else ClosedJaxpr(found, ())
    return None


def _is_known(closed: Any) -> bool:
    for eqn in closed.jaxpr.eqns:
        for var in (*eqn.invars, *eqn.outvars):
            aval = var.aval
            if getattr(aval, "dtype", None) not in _DTYPES or aval.size > _MOST_ELEMENTS:
                return False
        inner = _inner(eqn)
        if inner is not None:
            if not _is_known(inner):
                return False
        elif eqn.primitive.name not in _RULES or (
            eqn.primitive.name == "pad"
            and any(i or a < 0 or b < 0 for a, b, i in eqn.params["padding_config"])
        ):
            return False
    return True


def _interpret(closed: Any, args: Sequence[Any]) -> list[np.ndarray]:
    jaxpr = closed.jaxpr
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, map(np.asarray, closed.consts), strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))

    def read(var: Any) -> Any:
        return np.asarray(var.val, var.aval.dtype) if hasattr(var, "val") else values[var]

    for eqn in jaxpr.eqns:
        inputs = [read(v) for v in eqn.invars]
        inner = _inner(eqn)
        if inner is not None:
            results = _interpret(inner, inputs)
        else:
            found = _RULES[eqn.primitive.name](*inputs, **eqn.params)
            results = found if isinstance(found, (list, tuple)) else [found]
        for var, result in zip(eqn.outvars, results, strict=True):
            values[var] = np.asarray(result, var.aval.dtype).reshape(var.aval.shape)
    return [read(v) for v in jaxpr.outvars]


def _plain(function: Callable[..., Any]) -> Rule:
    return lambda *xs, **_: function(*xs)


def _divide(x: Any, y: Any, **_: Any) -> Any:
    if x.dtype.kind == "f":
        return x / y
    divisor = np.where(y == 0, 1, y)
    floor = x // divisor
    has_rest = floor * divisor != x
    quotient = np.where(has_rest & ((x < 0) ^ (divisor < 0)), floor + 1, floor)
    return np.where(y == 0, np.asarray(-1).astype(x.dtype), quotient)  # as XLA defines it


def _remainder(x: Any, y: Any, **_: Any) -> Any:
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


def _broadcast(x: Any, *, shape: Any, broadcast_dimensions: Any, **_: Any) -> Any:
    placed = [1] * len(shape)
    for i, d in enumerate(broadcast_dimensions):
        placed[d] = x.shape[i]
    return np.broadcast_to(x.reshape(placed), shape)


def _pad(x: Any, fill: Any, *, padding_config: Any, **_: Any) -> Any:
    if not x.ndim:
        return x
    return np.pad(x, [(low, high) for low, high, _ in padding_config], constant_values=fill)


def _iota(*_: Any, dtype: Any, shape: Any, dimension: int, **__: Any) -> Any:
    row = np.arange(shape[dimension], dtype=dtype)
    return np.broadcast_to(row.reshape([-1 if d == dimension else 1 for d in range(len(shape))]), shape)


def _slice(x: Any, *, start_indices: Any, limit_indices: Any, strides: Any, **_: Any) -> Any:
    steps = strides or (1,) * x.ndim
    return x[tuple(slice(a, b, s) for a, b, s in zip(start_indices, limit_indices, steps, strict=True))]


def _dynamic_slice(x: Any, *starts: Any, slice_sizes: Any, **_: Any) -> Any:
    begins = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, slice_sizes, strict=True)]
    return x[tuple(slice(b, b + k) for b, k in zip(begins, slice_sizes, strict=True))]


def _dynamic_update(x: Any, update: Any, *starts: Any, **_: Any) -> Any:
    out = x.copy()
    begins = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, update.shape, strict=True)]
    out[tuple(slice(b, b + k) for b, k in zip(begins, update.shape, strict=True))] = update
    return out


def _reduce(function: Callable[..., Any], typed: bool = False) -> Rule:
    def rule(x: Any, *, axes: Any, **_: Any) -> Any:
        return function(x, axis=tuple(axes), dtype=x.dtype) if typed else function(x, axis=tuple(axes))

    return rule


def _reduce_extreme(function: Callable[..., Any], is_max: bool) -> Rule:
    def rule(x: Any, *, axes: Any, **_: Any) -> Any:
        if x.dtype.kind == "f":
            least: Any = -np.inf if is_max else np.inf
        elif x.dtype == bool:
            least = not is_max
        else:
            info = np.iinfo(x.dtype)
            least = info.min if is_max else info.max
        return function(x, axis=tuple(axes), initial=least)  # of nothing: the identity, as in XLA

    return rule


def _arg_reduce(function: Callable[..., Any]) -> Rule:
    return lambda x, *, axes, **_: function(x, axis=axes[0])


def _cumulate(function: Callable[..., Any]) -> Rule:
    def rule(x: Any, *, axis: int, reverse: bool, **_: Any) -> Any:
        turned = np.flip(x, axis) if reverse else x
        out = function(turned, axis=axis)
        return np.flip(out, axis) if reverse else out

    return rule


def _select(which: Any, *cases: Any, **_: Any) -> Any:
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


def _dot(x: Any, y: Any, *, dimension_numbers: Any, preferred_element_type: Any = None, **_: Any) -> Any:
    (cx, cy), (bx, by) = dimension_numbers
    free_x = [d for d in range(x.ndim) if d not in (*cx, *bx)]
    free_y = [d for d in range(y.ndim) if d not in (*cy, *by)]
    batch = [x.shape[d] for d in bx]
    inner = int(np.prod([x.shape[d] for d in cx]))
    rows = int(np.prod([x.shape[d] for d in free_x]))
    columns = int(np.prod([y.shape[d] for d in free_y]))
    if preferred_element_type is not None:
        x, y = x.astype(preferred_element_type), y.astype(preferred_element_type)
    left = x.transpose([*bx, *free_x, *cx]).reshape([*batch, rows, inner])
    right = y.transpose([*by, *cy, *free_y]).reshape([*batch, inner, columns])
    out = np.matmul(left, right)
    return out.reshape([*batch, *(x.shape[d] for d in free_x), *(y.shape[d] for d in free_y)])


def _gather(
    x: Any,
    starts: Any,
    *,
    dimension_numbers: Any,
    slice_sizes: Any,
    mode: Any,
    fill_value: Any,
    **_: Any,
) -> Any:
    numbers = dimension_numbers
    batch = starts.shape[:-1]
    dims = range(x.ndim)
    is_inside = np.ones(batch, bool)
    index = []
    for d in dims:
        offsets = np.arange(slice_sizes[d]).reshape([-1 if e == d else 1 for e in dims])
        begin = np.zeros(batch, np.int64)
        if d in numbers.start_index_map:
            begin = starts[..., numbers.start_index_map.index(d)].astype(np.int64)
            last = x.shape[d] - slice_sizes[d]
            is_inside &= (begin >= 0) & (begin <= last)
            begin = np.clip(begin, 0, last)
        elif d in numbers.operand_batching_dims:
            axis = numbers.start_indices_batching_dims[numbers.operand_batching_dims.index(d)]
            rows = np.arange(x.shape[d]).reshape([-1 if e == axis else 1 for e in range(len(batch))])
            begin = np.broadcast_to(rows, batch)
        index.append(begin.reshape(batch + (1,) * x.ndim) + offsets)
    out = x[tuple(index)]
    if "FILL" in str(mode):
        fill = (
            fill_value if fill_value is not None else (np.nan if x.dtype.kind == "f" else _missing(x.dtype))
        )
        out = np.where(is_inside.reshape(batch + (1,) * x.ndim), out, np.asarray(fill, x.dtype))
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    out = out.reshape(batch + tuple(slice_sizes[d] for d in dims if d not in dropped))
    order: list[int] = []
    batches, slices = iter(range(len(batch))), iter(range(len(batch), out.ndim))
    for d in range(out.ndim):
        order.append(next(slices) if d in numbers.offset_dims else next(batches))
    return out.transpose(order)


def _missing(dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min


def _sign(x: Any, **_: Any) -> Any:
    return np.where(np.isnan(x), x, np.sign(x)) if x.dtype.kind == "f" else np.sign(x)


_SAME_NAME = "abs floor ceil exp exp2 expm1 log log1p sin cos tan sinh cosh tanh sqrt cbrt square nextafter"
_RULES: dict[str, Rule] = {
    **{name: _plain(getattr(np, name)) for name in _SAME_NAME.split()},
    **{
        f"a{name}": _plain(getattr(np, f"arc{name}"))
        for name in ["sin", "cos", "tan", "sinh", "cosh", "tanh"]
    },
    "neg": _plain(np.negative),
    "sign": _sign,
    "round": _round,
    "logistic": _plain(lambda x: 1 / (1 + np.exp(-x))),
    "rsqrt": _plain(lambda x: 1 / np.sqrt(x)),
    "not": _plain(np.invert),
    "is_finite": _plain(np.isfinite),
    "integer_pow": lambda x, *, y, **_: np.power(x, y) if y >= 0 else 1 / np.power(x, -y),
    "copy": _plain(np.array),
    "copy_p": _plain(np.array),
    "stop_gradient": _plain(np.array),
    "add": _plain(np.add),
    "add_any": _plain(np.add),
    "sub": _plain(np.subtract),
    "mul": _plain(np.multiply),
    "div": _divide,
    "rem": _remainder,
    "max": _plain(np.maximum),
    "min": _plain(np.minimum),
    "pow": _plain(np.power),
    "atan2": _plain(np.arctan2),
    "and": _plain(np.bitwise_and),
    "or": _plain(np.bitwise_or),
    "xor": _plain(np.bitwise_xor),
    **{name: _plain(getattr(operator, name)) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "clamp": _plain(lambda low, x, high: np.minimum(np.maximum(x, low), high)),
    "convert_element_type": _convert,
    "broadcast_in_dim": _broadcast,
    "reshape": lambda x, *, new_sizes, **_: x.reshape(new_sizes),
    "transpose": lambda x, *, permutation, **_: x.transpose(permutation),
    "squeeze": lambda x, *, dimensions, **_: x.squeeze(tuple(dimensions)),
    "concatenate": lambda *xs, dimension, **_: np.concatenate(xs, dimension),
    "split": lambda x, *, sizes, axis, **_: np.split(x, np.cumsum(sizes)[:-1], axis),
    "rev": lambda x, *, dimensions, **_: np.flip(x, tuple(dimensions)),
    "pad": _pad,
    "iota": _iota,
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update,
    "reduce_sum": _reduce(np.sum, typed=True),
    "reduce_prod": _reduce(np.prod, typed=True),
    "reduce_max": _reduce_extreme(np.max, is_max=True),
    "reduce_min": _reduce_extreme(np.min, is_max=False),
    "reduce_and": _reduce(np.all),
    "reduce_or": _reduce(np.any),
    "argmax": _arg_reduce(np.argmax),
    "argmin": _arg_reduce(np.argmin),
    "cumsum": _cumulate(np.cumsum),
    "cumprod": _cumulate(np.cumprod),
    "cummax": _cumulate(np.maximum.accumulate),
    "cummin": _cumulate(np.minimum.accumulate),
    "select_n": _select,
    "sort": _sort,
    "dot_general": _dot,
    "gather": _gather,
}
