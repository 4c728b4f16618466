"""2-D convolution and its two gradients: which algorithm runs where, and how they differentiate.

A convolution ties three arrays together, `y = x * w`, and each gradient is the same sum over the other
two. So there are three functions here, `forward` (x, w -> y), `to_input` (y, w -> x) and `to_filter`
(x, y -> w); each is linear in both arguments, and the derivative of any of them is the other two.
That closes under differentiation: gradients of every order run on the same fast paths.

What is measured on CPUs, and decides the choice (by shapes and dtypes alone):

- XLA's native convolution is fast for wide layers in its canonical layout. The layouts that automatic
  differentiation asks of it are not: the gradient of the filters takes several times as long as it
  should, and inside a `lax.scan` both gradients are 5 to 50 times slower. So `to_input` is written as
  a plain convolution with the filters turned around, and `to_filter` as matrix products.
- Narrow layers and groups are faster as matrix products, depthwise ones as sums over taps.

Other devices run the native convolution. Arrays are NHWC and HWIO.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from tapeflow.ops import conv_gemm, conv_taps
from tapeflow.ops.conv_taps import HEIGHT, WIDTH, pad_axis
from tapeflow.ops.window import Window

Statics = tuple[Window, int]
_LAYOUT = ("NHWC", "HWIO", "NHWC")
# Up to here a matrix product beats the native convolution.
_NARROW_CHANNELS = 32
_NARROW_PAIRS = 256


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def forward(statics: Statics, x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`; `statics` is the window and the number of groups."""
    shape = (x.shape[0], *statics[0].output, filters.shape[-1])
    return _run(_cpu_forward, _native_forward, statics, shape, x, filters)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def to_input(statics: Statics, y: Array, filters: Array) -> Array:
    """The gradient of `x`, given `y`, that of the result: also the transposed convolution of `y`."""
    window, groups = statics
    shape = (y.shape[0], *window.input, filters.shape[2] * groups)
    return _run(_cpu_to_input, _native_to_input, statics, shape, y, filters)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def to_filter(statics: Statics, x: Array, y: Array) -> Array:
    """The gradient of the filters, given `y`, that of the result."""
    window, groups = statics
    shape = (*window.size, x.shape[-1] // groups, y.shape[-1])
    return _run(_cpu_to_filter, _native_to_filter, statics, shape, x, y)


def _vjp_of(function: Any, backward: Callable[..., Any]) -> None:
    """Both arguments are what the derivative needs; `backward` gets them and the gradient."""

    def run(statics: Statics, a: Array, b: Array) -> Any:
        return function(statics, a, b), (a, b)

    def back(statics: Statics, saved: Any, gradient: Array) -> Any:
        return backward(statics, *saved, gradient)

    function.defvjp(run, back)


_vjp_of(forward, lambda s, x, w, dy: (to_input(s, dy, w), to_filter(s, x, dy)))
_vjp_of(to_input, lambda s, y, w, dx: (forward(s, dx, w), to_filter(s, dx, y)))
_vjp_of(to_filter, lambda s, x, y, dw: (to_input(s, y, dw), forward(s, x, dw)))


def _run(
    cpu: Callable[..., Array],
    native: Callable[..., Array],
    statics: Statics,
    shape: tuple[int, ...],
    a: Array,
    b: Array,
) -> Array:
    """One of the three functions, on whichever device it is compiled for."""
    if 0 in (*a.shape, *b.shape, *shape):
        return jnp.zeros(shape, a.dtype)
    if not jnp.issubdtype(a.dtype, jnp.floating):
        return native(statics, a, b)
    return lax.platform_dependent(
        a, b, cpu=partial(_in_float32, cpu, statics), default=partial(native, statics)
    )


def _in_float32(function: Callable[..., Array], statics: Statics, a: Array, b: Array) -> Array:
    """Half precision is computed in float32 on a CPU: it is faster, and it is rounded once."""
    dtype = a.dtype
    if dtype.itemsize < 4:
        a, b = a.astype(jnp.float32), b.astype(jnp.float32)
    return function(statics, a, b).astype(dtype)


def _cpu_forward(statics: Statics, x: Array, filters: Array) -> Array:
    window, groups = statics
    if groups == x.shape[-1] > 1:
        return conv_taps.forward(window, x, filters)
    if groups > 1:
        return _each_group(conv_gemm.forward, window, groups, x, filters)
    if _is_narrow(*filters.shape[2:]):
        return conv_gemm.forward(window, x, filters)
    return _native_forward(statics, x, filters)


def _is_narrow(inputs: int, outputs: int) -> bool:
    return max(inputs, outputs) < _NARROW_CHANNELS and inputs * outputs < _NARROW_PAIRS


def _cpu_to_input(statics: Statics, y: Array, filters: Array) -> Array:
    window, groups = statics
    back, turned = window.transposed(), jnp.flip(filters, (0, 1))
    if groups == 1:
        swapped = turned.swapaxes(2, 3)
        if window.is_dense and _is_narrow(*swapped.shape[2:]):
            return conv_gemm.forward(back, y, swapped)
        return _native_forward((back, 1), y, swapped, spread=window.strides)
    spread = y
    for axis in (HEIGHT, WIDTH):
        spread = pad_axis(spread, axis, 0, 0, window.strides[axis - 1] - 1)
    if filters.shape[2] == 1:
        return _depthwise_to_input(back, groups, spread, turned)
    # Inputs and outputs change places, group by group.
    parted = turned.reshape(*turned.shape[:3], groups, -1)
    swapped = parted.swapaxes(2, 4).reshape(*window.size, parted.shape[-1], -1)
    return _each_group(conv_gemm.forward, back, groups, spread, swapped)


def _depthwise_to_input(window: Window, channels: int, y: Array, filters: Array) -> Array:
    """Every channel of `x` made several of `y`: the sum of as many depthwise convolutions."""
    parts = y.reshape(*y.shape[:3], channels, -1)
    weights = filters.reshape(*window.size, 1, channels, -1)
    terms = [
        conv_taps.forward(window, parts[..., number], weights[..., number])
        for number in range(parts.shape[-1])
    ]
    return sum(terms[1:], terms[0])


def _cpu_to_filter(statics: Statics, x: Array, y: Array) -> Array:
    window, groups = statics
    if groups == x.shape[-1] > 1:
        return conv_taps.to_filter(window, x, y)
    if groups > 1:
        return _each_group(conv_gemm.to_filter, window, groups, x, y)
    return conv_gemm.to_filter(window, x, y)


def _each_group(function: Callable[..., Array], window: Window, groups: int, *arrays: Array) -> Array:
    """A function of one group, applied to the groups that the last axes are made of."""
    parted = [a.reshape(*a.shape[:3], groups, -1) for a in arrays]
    run = jax.vmap(partial(function, window), in_axes=3, out_axes=3)
    result = run(*parted)
    return result.reshape(*result.shape[:3], -1)


def _native_forward(statics: Statics, x: Array, filters: Array, spread: tuple[int, ...] = (1, 1)) -> Array:
    """XLA's convolution; `x` may be spread out, by zeros that are not stored."""
    window, groups = statics
    return lax.conv_general_dilated(
        x,
        filters,
        window.strides,
        window.padding,
        lhs_dilation=spread,
        rhs_dilation=window.dilations,
        dimension_numbers=_LAYOUT,
        feature_group_count=groups,
    )


def _native_to_input(statics: Statics, y: Array, filters: Array) -> Array:
    window, groups = statics
    shape = (y.shape[0], *window.input, filters.shape[2] * groups)
    return _transposed(lambda x: _native_forward(statics, x, filters), shape, y)


def _native_to_filter(statics: Statics, x: Array, y: Array) -> Array:
    window, groups = statics
    shape = (*window.size, x.shape[-1] // groups, y.shape[-1])
    return _transposed(lambda filters: _native_forward(statics, x, filters), shape, y)


def _transposed(linear: Callable[[Array], Array], shape: tuple[int, ...], y: Array) -> Array:
    (result,) = jax.linear_transpose(linear, jax.ShapeDtypeStruct(shape, y.dtype))(y)
    return result
