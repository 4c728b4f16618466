"""Rules for primitives that mix elements along an axis: sums, products, convolutions, order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.shapes.expression import NotPadded, Size, has_symbols, is_symbolic
from tapeflow.engine.shapes.padding import Padding, bound, rule


def _shape_of(atom: Any) -> tuple[Size, ...]:
    return tuple(atom.aval.shape)


def _lowest(dtype: Any) -> Any:
    if dtype == np.bool_:
        return False
    return -np.inf if jnp.issubdtype(dtype, jnp.inexact) else np.iinfo(dtype).min


def _highest(dtype: Any) -> Any:
    if dtype == np.bool_:
        return True
    return np.inf if jnp.issubdtype(dtype, jnp.inexact) else np.iinfo(dtype).max


_NEUTRAL: dict[str, Any] = {
    "sum": lambda dtype: 0,
    "prod": lambda dtype: 1,
    "max": _lowest,
    "min": _highest,
    "and": lambda dtype: True if dtype == np.bool_ else -1,
    "or": lambda dtype: 0,
    "xor": lambda dtype: 0,
    "logsumexp": _lowest,
}


@rule(*[f"reduce_{name}" for name in _NEUTRAL if name != "logsumexp"])
def _reduce(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    (value,) = operands
    fill = _NEUTRAL[equation.primitive.name.removeprefix("reduce_")](value.dtype)
    value = padding.masked(value, _shape_of(equation.invars[0]), equation.params["axes"], fill)
    return bound(equation, [value])


@rule("argmax", "argmin")
def _arg(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    (value,) = operands
    fill = (_lowest if equation.primitive.name == "argmax" else _highest)(value.dtype)
    value = padding.masked(value, _shape_of(equation.invars[0]), equation.params["axes"], fill)
    return bound(equation, [value])


@rule("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
def _cumulate(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    (value,) = operands
    if equation.params["reverse"]:
        fill = _NEUTRAL[equation.primitive.name.removeprefix("cum")](value.dtype)
        value = padding.masked(value, _shape_of(equation.invars[0]), [equation.params["axis"]], fill)
    return bound(equation, [value])


@rule("dot_general")
def _dot_general(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    contracted = equation.params["dimension_numbers"][0]
    masked = [
        padding.masked(value, _shape_of(atom), axes, 0)
        for value, atom, axes in zip(operands, equation.invars, contracted, strict=True)
    ]
    return bound(equation, masked)


@rule("conv_general_dilated")
def _conv(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters = equation.params
    numbers = parameters["dimension_numbers"]
    masked = [
        padding.masked(value, _shape_of(atom), range(value.ndim), 0)
        for value, atom in zip(operands, equation.invars, strict=True)
    ]
    steps = (*parameters["window_strides"], *parameters["lhs_dilation"], *parameters["rhs_dilation"])
    groups = (parameters["feature_group_count"], parameters["batch_group_count"])
    if any(is_symbolic(number) for number in (*steps, *groups)):
        raise NotPadded("a convolution whose steps vary")
    pads = []
    out = padding.shape(_shape_of(equation.outvars[0]))
    for place, (low, _) in enumerate(parameters["padding"]):
        if is_symbolic(low):
            raise NotPadded("a convolution whose padding in front varies")
        axis = numbers.lhs_spec[2 + place]
        length = _dilated(masked[0].shape[axis], parameters["lhs_dilation"][place])
        window = _dilated(masked[1].shape[numbers.rhs_spec[2 + place]], parameters["rhs_dilation"][place])
        wanted = (out[numbers.out_spec[2 + place]] - 1) * parameters["window_strides"][place] + window
        pads.append((low, wanted - low - length))
    return bound(equation, masked, padding=tuple(pads))


def _dilated(length: int, dilation: int) -> int:
    return (length - 1) * dilation + 1 if length else 0


@rule("reduce_window_sum", "reduce_window_max", "reduce_window_min")
def _reduce_window(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters, (value,) = equation.params, operands
    shape = _shape_of(equation.invars[0])
    fill = _NEUTRAL[equation.primitive.name.removeprefix("reduce_window_")](value.dtype)
    value = padding.masked(value, shape, range(value.ndim), fill)
    pads = _window_pads(padding, value.shape, _shape_of(equation.outvars[0]), parameters)
    return bound(equation, [value], padding=pads)


@rule("select_and_scatter_add")
def _select_and_scatter_add(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    """The gradient of pooling: what was chosen from each window gets that window's gradient."""
    source, value = operands
    given, shape = map(_shape_of, equation.invars)
    is_max = equation.params["select_prim"].name == "ge"
    value = padding.masked(value, shape, range(value.ndim), (_lowest if is_max else _highest)(value.dtype))
    source = padding.masked(source, given, range(source.ndim), 0)
    pads = _window_pads(padding, value.shape, given, equation.params)
    return bound(equation, [source, value], padding=pads)


def _window_pads(
    padding: Padding, lengths: Sequence[int], after: Sequence[Size], parameters: Any
) -> tuple[tuple[int, int], ...]:
    """Padding that gives results of the lengths that they have at the capacities."""
    base = parameters.get("base_dilation") or (1,) * len(lengths)
    inner = parameters.get("window_dilation") or (1,) * len(lengths)
    windows, strides = parameters["window_dimensions"], parameters["window_strides"]
    pads = []
    for axis, (low, _) in enumerate(parameters["padding"]):
        if any(is_symbolic(number) for number in (low, windows[axis], strides[axis])):
            raise NotPadded("a window that varies")
        window = _dilated(windows[axis], inner[axis])
        wanted = (padding.capacity(after[axis]) - 1) * strides[axis] + window
        pads.append((low, wanted - low - _dilated(lengths[axis], base[axis])))
    return tuple(pads)


@rule("sort")
def _sort(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters = equation.params
    axis, shape = parameters["dimension"], _shape_of(equation.invars[0])
    if not is_symbolic(shape[axis]):
        return bound(equation, operands)
    is_behind = (~padding.is_true(shape, axis)).astype(jnp.int8)
    found = jax.lax.sort(
        [is_behind, *operands],
        dimension=axis,
        is_stable=parameters["is_stable"],
        num_keys=parameters["num_keys"] + 1,
    )
    return list(found[1:])


@rule("top_k")
def _top_k(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    (value,) = operands
    shape = _shape_of(equation.invars[0])
    axis = equation.params.get("axis", value.ndim - 1) % value.ndim
    if is_symbolic(equation.params["k"]):
        raise NotPadded("top_k of a number that varies")
    return bound(equation, [padding.masked(value, shape, [axis], _lowest(value.dtype))])


@rule("fft")
def _fft(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    """A transform of axes that do not vary; one of another length is another transform."""
    count = len(equation.params["fft_lengths"])
    if has_symbols(_shape_of(equation.invars[0])[-count:]) or has_symbols(equation.params["fft_lengths"]):
        raise NotPadded("a Fourier transform of a length that varies")
    return bound(equation, operands)


@rule("cholesky")
def _cholesky(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    """Ones on the diagonal behind the true elements: what comes of them is ones, too."""
    (value,) = operands
    return bound(equation, [_with_unit_diagonal(padding, value, _shape_of(equation.invars[0]))])


@rule("triangular_solve")
def _triangular_solve(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    matrix, right = operands
    shape = _shape_of(equation.invars[1])
    matrix = _with_unit_diagonal(padding, matrix, _shape_of(equation.invars[0]))
    axes = [len(shape) - (2 if equation.params["left_side"] else 1)]
    return bound(equation, [matrix, padding.masked(right, shape, axes, 0)])


def _with_unit_diagonal(padding: Padding, value: Any, shape: Sequence[Size]) -> Any:
    """Square matrices, with those of the identity behind the true elements."""
    axes = (value.ndim - 2, value.ndim - 1)
    if not has_symbols([shape[axis] for axis in axes]):
        return value
    value = padding.masked(value, shape, axes, 0)
    is_behind = ~padding.is_true(shape, axes[0])
    rows, columns = (jax.lax.broadcasted_iota(jnp.int32, value.shape, axis) for axis in axes)
    return jnp.where(is_behind & (rows == columns), jnp.ones((), value.dtype), value)


@rule("unstack")
def _unstack(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    if is_symbolic(_shape_of(equation.invars[0])[equation.params["axis"]]):
        raise NotPadded("as many results as a size says")
    return bound(equation, operands)
