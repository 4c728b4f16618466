"""2-D convolution and its two gradients: which algorithm runs where, and how they differentiate.

A convolution ties three arrays together, `y = x * w`, and each gradient is the same sum over the other
two. So there are three functions here, `forward` (x, w -> y), `to_input` (y, w -> x) and `to_filter`
(x, y -> w); each is linear in both arguments, and the derivative of any of them is the other two.
That closes under differentiation: gradients of every order run on the same fast paths.

What is measured on CPUs, and decides the choice (by shapes and dtypes alone):

- XLA's native convolution is fast for wide layers in its canonical layout. The layouts that automatic
  differentiation asks of it are not: inside a `lax.scan` both gradients are 5 to 100 times slower. So
  `to_input` is written as a plain convolution with the filters turned around, and `to_filter` as one in
  which samples and channels change places, or as a matrix product.
- Filters larger than the image, as in the last layers of deep networks, take it 30 to 70 times as long as
  a matrix product, and filters of one cell are a product anyhow.
- It has two implementations, and which one runs depends on the padding; `conv_native` chooses.
- Large convolutions by 3x3 cells are made with half of the multiplications: `conv_winograd`.
- Narrow layers are slow too. Most can be folded into wider ones; the others are matrix products.
- A few groups are convolved one by one, many as matrix products.
- Depthwise convolutions are fastest as sums over taps.

Other devices run the native convolution. Arrays are NHWC and HWIO.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from tapeflow.engine.shapes.expression import has_symbols
from tapeflow.ops.nn.conv import correlate as conv_correlate
from tapeflow.ops.nn.conv import fold as conv_fold
from tapeflow.ops.nn.conv import gemm as conv_gemm
from tapeflow.ops.nn.conv import native as conv_native
from tapeflow.ops.nn.conv import taps as conv_taps
from tapeflow.ops.nn.conv import winograd as conv_winograd
from tapeflow.ops.nn.conv.devices import on_rows
from tapeflow.ops.nn.conv.taps import HEIGHT, WIDTH, pad_axis
from tapeflow.ops.nn.window import Window

Statics = tuple[Window, int]
_LAYOUT = ("NHWC", "HWIO", "NHWC")
# Up to so many groups are convolved one by one.
_FEW_GROUPS = 8
# Up to so many places an output channel, turning the filters around costs more than adding up patches.
_FEW_PLACES = 2


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def forward(statics: Statics, x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`; `statics` is the window and the number of groups."""
    shape = (x.shape[0], *statics[0].output, filters.shape[-1])
    return _run(_cpu_forward, _native_forward, statics, shape, x, filters, (True, False))


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def to_input(statics: Statics, y: Array, filters: Array) -> Array:
    """The gradient of `x`, given `y`, that of the result: also the transposed convolution of `y`."""
    window, groups = statics
    shape = (y.shape[0], *window.input, filters.shape[2] * groups)
    return _run(_cpu_to_input, _native_to_input, statics, shape, y, filters, (True, False))


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def to_filter(statics: Statics, x: Array, y: Array) -> Array:
    """The gradient of the filters, given `y`, that of the result."""
    window, groups = statics
    shape = (*window.size, x.shape[-1] // groups, y.shape[-1])
    return _run(_cpu_to_filter, _native_to_filter, statics, shape, x, y, (True, True))


def _vjp_of(function: Any, backward: Callable[..., Any]) -> None:
    """Both arguments are what the derivative needs; `backward` gets them and the gradient."""

    def run(statics: Statics, a: Array, b: Array) -> Any:
        return function(statics, a, b), (a, b)

    def back(
        statics: Statics, saved: tuple[jax.Array, jax.Array], gradient: Array
    ) -> tuple[jax.Array, jax.Array]:
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
    are_rows: tuple[bool, bool],
) -> Array:
    """One of the three functions, on whichever device it is compiled for; `are_rows` says which arrays are batches."""
    if 0 in (*a.shape, *b.shape, *shape):
        return jnp.zeros(shape, a.dtype)
    if not jnp.issubdtype(a.dtype, jnp.floating) or has_symbols((*a.shape, *b.shape, *shape)):
        return native(statics, a, b)
    cpu = partial(_in_float32, cpu, statics)
    return lax.platform_dependent(
        a,
        b,
        cpu=lambda a, b: on_rows(cpu, (a, b), are_rows, is_sum=all(are_rows)),
        default=partial(native, statics),
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
    if 1 < groups <= _FEW_GROUPS:
        return _one_by_one(_cpu_forward, window, groups, x, filters)
    if groups > 1:
        return _each_group(conv_gemm.forward, window, groups, x, filters)
    return _cpu_single_group(window, x, filters)


def _cpu_single_group(window: Window, x: Array, filters: Array) -> Array:
    inputs, outputs = filters.shape[2:]
    if conv_winograd.pays(window, x.shape[0], inputs, outputs, x.dtype):
        return conv_winograd.forward(window, x, filters)
    if not _is_native(window.size, window.input):
        return conv_gemm.forward(window, x, filters)
    if max(inputs, outputs) > conv_fold.NARROW_CHANNELS:
        return conv_native.forward(window, x, filters)
    places = conv_fold.places_to_fold(window, inputs, outputs)
    if places > 1:
        return conv_fold.forward(window, places, x, filters)
    return conv_gemm.forward(window, x, filters)


def _is_native(size: tuple[int, ...], cells: tuple[int, ...]) -> bool:
    """Whether XLA has a fast convolution: neither for filters larger than the image, nor for those of one cell."""
    return max(size) > 1 and all(n <= c for n, c in zip(size, cells, strict=True))


def _cpu_to_input(statics: Statics, y: Array, filters: Array) -> Array:
    window, groups = statics
    inputs, outputs = filters.shape[2:]
    is_saving = window.is_dense and conv_winograd.pays(
        window.transposed(), y.shape[0], outputs, inputs, y.dtype
    )
    if groups == 1 and not is_saving and _adds_patches(window, y.shape[0], outputs):
        return conv_gemm.to_input(window, y, filters)
    if 1 < groups <= _FEW_GROUPS and filters.shape[2] > 1:
        return _one_by_one(_cpu_to_input, window, groups, y, filters)
    back, turned = window.transposed(), jnp.flip(filters, (0, 1))
    if groups == 1:
        swapped = turned.swapaxes(2, 3)
        if window.is_dense:
            return _cpu_single_group(back, y, swapped)
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


def _adds_patches(window: Window, samples: int, outputs: int) -> bool:
    """Whether to add up patches: where there is no native convolution, or the filters are most of what is read."""
    places = samples * math.prod(window.output)
    return places <= _FEW_PLACES * outputs or not _is_native(window.size, window.output)


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
    if 1 < groups <= _FEW_GROUPS:
        return _one_by_one(_cpu_to_filter, window, groups, x, y)
    if groups > 1:
        return _each_group(conv_gemm.to_filter, window, groups, x, y)
    samples, inputs, outputs = x.shape[0], x.shape[-1], y.shape[-1]
    if conv_winograd.pays_for_filter(window, samples, inputs, outputs, x.dtype):
        return conv_winograd.to_filter(window, x, y)
    block = conv_correlate.samples_of_block(samples, outputs)
    if block and _is_native(window.output, window.input) and not _adds_patches(window, samples, outputs):
        return conv_correlate.to_filter(window, block, x, y)
    return conv_gemm.to_filter(window, x, y)


def _one_by_one(function: Callable[..., Array], window: Window, groups: int, a: Array, b: Array) -> Array:
    """Each group as a convolution of its own, by the algorithm of its shape; of many groups that is too much code."""
    pairs = zip(jnp.split(a, groups, -1), jnp.split(b, groups, -1), strict=True)
    return jnp.concatenate([function((window, 1), *pair) for pair in pairs], axis=-1)


def _each_group(function: Callable[..., Array], window: Window, groups: int, *arrays: Array) -> Array:
    """A function of one group, applied to the groups that the last axes are made of."""
    parted = [a.reshape(*a.shape[:3], groups, a.shape[3] // groups) for a in arrays]
    run = jax.vmap(partial(function, window), in_axes=3, out_axes=3)
    result = run(*parted)
    return result.reshape(*result.shape[:3], result.shape[3] * result.shape[4])


def _native_forward(statics: Statics, x: Array, filters: Array, spread: tuple[int, ...] = (1, 1)) -> Array:
    """XLA's convolution; `x` may be spread out, by zeros that are not stored."""
    window, groups = statics
    padding = window.padding
    if has_symbols(x.shape) and not window.is_dense:
        x, padding = _fitted(window, x), ((0, 0),) * len(padding)
    return lax.conv_general_dilated(
        x,
        filters,
        window.strides,
        padding,
        lhs_dilation=spread,
        rhs_dilation=window.dilations,
        dimension_numbers=_LAYOUT,
        feature_group_count=groups,
    )


def _fitted(window: Window, x: Array) -> Array:
    """`x`, padded and cut to what the window sees: its derivative then has no padding that varies with the size."""
    config = [(0, 0, 0)]
    for cells, places, stride, extent, (low, _) in zip(
        window.input, window.output, window.strides, window.extent, window.padding, strict=True
    ):
        config.append((low, (places - 1) * stride + extent - low - cells, 0))
    return lax.pad(x, jnp.zeros((), x.dtype), [*config, (0, 0, 0)])


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
