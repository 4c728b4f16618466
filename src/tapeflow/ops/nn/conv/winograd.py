"""3x3 convolutions with fewer multiplications, by Winograd's F(2, 3) along both axes.

Two neighbouring places see four cells. Their six products with the taps of the filter follow from four products, of
sums of cells and sums of taps. Along both axes that is four ninths of the multiplications, and those are sixteen matrix
products, for which XLA is at its fastest. Sums are short and have no large factors: the result is as exact as others.

Measured on one core of a CPU (28x28x128 and 14x14x256, batch 8), the convolution and the gradient of the input take
0.6 times as long as XLA's convolution, and the gradient of the filters 0.5 to 0.7 times as long as `correlate`. Small
ones gain as much, but each convolution takes about half a second more of the processor's time to compile. So only large
ones are made in this way, whose steps take so long that it soon pays.

The gradient of the filters is the same from the other end: products of sums of cells and sums of places, added up.
Arrays are NHWC and HWIO, and there is one group.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax.numpy as jnp
from jax import Array

from tapeflow.ops.linalg.matrix_product import dot_transposed
from tapeflow.ops.nn.conv.blocks import block_size, map_blocks, sum_blocks
from tapeflow.ops.nn.conv.taps import HEIGHT, WIDTH, pad_axis
from tapeflow.ops.nn.window import Window

_TAPS = 3
# With fewer inputs or outputs the products are slow, and the sums take longer than is saved.
_FEWEST_CHANNELS = 32
_FEWEST_CHANNELS_OF_FILTER = 64
# Smaller images are padding for a good part.
_FEWEST_PLACES = 4
# Multiplications and additions of the plain convolution: below, compiling takes longer than is soon saved.
_FEWEST_OPERATIONS = 1.5e9
# What the sums of a block may hold: they are read again from the cache.
_BLOCK_BYTES = 8 << 20


def pays(window: Window, samples: int, inputs: int, outputs: int, dtype: Any) -> bool:
    """Whether to convolve in this way on a CPU, going forward or back to the input."""
    is_plain = window.size == (_TAPS, _TAPS) and window.is_dense and window.dilations == (1, 1)
    operations = 2.0 * samples * math.prod(window.output) * _TAPS**2 * inputs * outputs
    return (
        is_plain
        and dtype == jnp.float32
        and min(inputs, outputs) >= _FEWEST_CHANNELS
        and min(window.output) >= _FEWEST_PLACES
        and operations >= _FEWEST_OPERATIONS
    )


def pays_for_filter(window: Window, samples: int, inputs: int, outputs: int, dtype: Any) -> bool:
    """Whether to make the gradient of the filters in this way on a CPU."""
    is_wide = min(inputs, outputs) >= _FEWEST_CHANNELS_OF_FILTER
    return is_wide and pays(window, samples, inputs, outputs, dtype)


def forward(window: Window, x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`.

    It runs in a loop of two rounds if it can: outside of one, XLA would repeat sums in whatever reads the result.
    """
    sums = [_filter_sums(part, 0) for part in _filter_sums(filters, 1)]

    def multiply(part: Array) -> Array:
        products = [
            _place_sums([jnp.tensordot(c, w, 1) for c, w in zip(cells, weights, strict=True)], HEIGHT)
            for cells, weights in zip(_sums_of_cells(window, part), sums, strict=True)
        ]
        return _place_sums(products, WIDTH)[:, : window.output[0], : window.output[1]]

    block = _block(window, x, filters.shape[-1])
    return map_blocks(multiply, x, min(block, -(-x.shape[0] // 2)))


def to_filter(window: Window, x: Array, y: Array) -> Array:
    """The gradient of the filters, given `y`, that of the result."""
    return sum_blocks(partial(_correlate, window), _block(window, x, y.shape[-1]), x, y)


def _correlate(window: Window, x: Array, y: Array) -> Array:
    for axis in (HEIGHT, WIDTH):
        y = pad_axis(y, axis, 0, y.shape[axis] % 2)
    columns = []
    for cells, places in zip(_sums_of_cells(window, x), _place_differences(y, WIDTH), strict=True):
        pairs = zip(cells, _place_differences(places, HEIGHT), strict=True)
        products = [dot_transposed(c.reshape(-1, c.shape[-1]), p.reshape(-1, p.shape[-1])) for c, p in pairs]
        columns.append(_tap_sums(products, 0))
    return _tap_sums(columns, 1)


def _block(window: Window, x: Array, outputs: int) -> int:
    return block_size(x, 4 * math.prod(window.output) * (x.shape[-1] + outputs), _BLOCK_BYTES)


def _pairs(places: int) -> int:
    return -(-places // 2)


def _sums_of_cells(window: Window, x: Array) -> list[list[Array]]:
    """For each pair of places along both axes, with the window's padding and what makes their number even."""
    for axis in (HEIGHT, WIDTH):
        low, _ = window.padding[axis - 1]
        cells = 2 * _pairs(window.output[axis - 1]) + _TAPS - 1
        x = pad_axis(x, axis, low, cells - low - x.shape[axis])
    return [_cell_sums(part, HEIGHT) for part in _cell_sums(x, WIDTH)]


def _cell_sums(x: Array, axis: int) -> list[Array]:
    cells = [_every_second(x, axis, first, x.shape[axis] - _TAPS + 1) for first in range(4)]
    return [cells[0] - cells[2], cells[1] + cells[2], cells[2] - cells[1], cells[1] - cells[3]]


def _filter_sums(filters: Array, axis: int) -> list[Array]:
    first, second, third = (jnp.take(filters, tap, axis=axis) for tap in range(_TAPS))
    outer = 0.5 * (first + third)
    return [first, outer + 0.5 * second, outer - 0.5 * second, third]


def _place_sums(products: list[Array], axis: int) -> Array:
    """The two places of each pair, side by side along the axis."""
    first, second, third, fourth = products
    pair = jnp.stack([first + second + third, second - third - fourth], axis=axis + 1)
    shape = list(first.shape)
    shape[axis] *= 2
    return pair.reshape(shape)


def _place_differences(y: Array, axis: int) -> list[Array]:
    """What each of the four products gives to the two places: `_place_sums` in reverse."""
    first, second = (_every_second(y, axis, place, y.shape[axis]) for place in range(2))
    return [first, first + second, first - second, -second]


def _tap_sums(products: list[Array], axis: int) -> Array:
    """What each of the three taps gives to the four products: `_filter_sums` in reverse."""
    first, second, third, fourth = products
    outer = 0.5 * (second + third)
    return jnp.stack([first + outer, 0.5 * (second - third), outer + fourth], axis=axis)


def _every_second(x: Array, axis: int, first: int, count: int) -> Array:
    index: list[slice] = [slice(None)] * x.ndim
    index[axis] = slice(first, first + count, 2)
    return x[tuple(index)]
