"""Taps of a sliding window as slices, and the depthwise convolution made of them.

A tap is one cell of the window; what it sees, over all places of the window, is a strided slice of the
padded array. A depthwise convolution multiplies each tap by its weight and adds them up: one loop for
XLA, where its grouped convolution takes twenty times as long on a CPU.
Arrays are NHWC and HWIO; filters of a depthwise convolution are `(height, width, 1, channels * m)`.
"""

from __future__ import annotations

import math
from functools import reduce
from itertools import product

import jax.numpy as jnp
from jax import Array, lax

from tapeflow.ops.nn.conv.blocks import block_size, sum_blocks
from tapeflow.ops.nn.window import Window

HEIGHT, WIDTH = 1, 2

# Small enough that a block is read from the cache once for each tap.
_BLOCK_BYTES = 1 << 19


def pad_axis(x: Array, axis: int, low: int, high: int, inside: int = 0) -> Array:
    """`x` with zeros before, after and between its cells along one axis; negative counts crop."""
    if low == high == inside == 0:
        return x
    config = [(0, 0, 0)] * x.ndim
    config[axis] = (low, high, inside)
    return lax.pad(x, jnp.zeros((), x.dtype), config)


def tap(window: Window, padded: Array, axis: int, number: int) -> Array:
    """What tap `number` along an axis sees at every place; `padded` has the window's padding."""
    spatial = axis - 1
    start, stride = number * window.dilations[spatial], window.strides[spatial]
    limit = start + (window.output[spatial] - 1) * stride + 1
    return lax.slice_in_dim(padded, start, limit, stride, axis)


def taps(window: Window, x: Array) -> list[Array]:
    """What each tap sees, in the order of the filter."""
    padded = pad_axis(x, HEIGHT, *window.padding[0])
    padded = pad_axis(padded, WIDTH, *window.padding[1])
    return [
        tap(window, tap(window, padded, HEIGHT, row), WIDTH, column)
        for row, column in product(range(window.size[0]), range(window.size[1]))
    ]


def forward(window: Window, x: Array, filters: Array) -> Array:
    """The depthwise convolution of `x` with `filters`."""
    channels = x.shape[-1]
    weights = filters.reshape(-1, channels, filters.shape[-1] // channels)
    seen = taps(window, x)
    if weights.shape[-1] == 1:
        return reduce(jnp.add, [t * w[:, 0] for t, w in zip(seen, weights, strict=True)])
    result = reduce(jnp.add, [t[..., None] * w for t, w in zip(seen, weights, strict=True)])
    return result.reshape(*result.shape[:3], -1)


def to_filter(window: Window, x: Array, y: Array) -> Array:
    """The gradient of the filters, given `y`, that of the result."""
    channels, outputs = x.shape[-1], y.shape[-1]
    multiplier = outputs // channels

    def correlate(part: Array, gradient: Array) -> Array:
        # The channels stay the last axis of every product: only along it is the sum vectorised.
        parts = [gradient[..., number::multiplier] for number in range(multiplier)]
        sums = [jnp.sum(t * p, axis=(0, 1, 2)) for t in taps(window, part) for p in parts]
        return jnp.stack(sums)

    numbers = math.prod(x.shape[1:]) + math.prod(y.shape[1:])
    total = sum_blocks(correlate, block_size(x, numbers, _BLOCK_BYTES), x, y)
    return total.reshape(*window.size, multiplier, channels).swapaxes(2, 3).reshape(*window.size, 1, outputs)
