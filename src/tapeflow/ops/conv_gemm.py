"""2-D convolution as matrix products, where XLA's own CPU loops are slow.

Two ways to lay a convolution out as a product, chosen by the memory they touch:

- "patches" copies all that a filter sees, `kernel_h * kernel_w * channels` numbers a place: im2col.
- "rows" copies along the width only, multiplies by every row of the filters at once, and adds up the
  products, each a row further down: for a 3x3 filter a third of the copies.

A block of a few samples is one product. Arrays are NHWC and HWIO, and there is one group.
"""

from __future__ import annotations

from functools import reduce

import jax.numpy as jnp
from jax import Array

from tapeflow.ops.conv_blocks import block_size, map_blocks, sum_blocks
from tapeflow.ops.conv_taps import HEIGHT, WIDTH, pad_axis, tap
from tapeflow.ops.window import Window

# Enough for a product to run at full speed, small beside the caches.
_BLOCK_BYTES = 4 << 20
# A number of "rows" costs less than one of "patches": longer runs of it are contiguous.
_ROWS_ADVANTAGE = 1.5


def forward(window: Window, x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`."""
    by_rows, numbers = _layout(window, *filters.shape[2:])
    convolve = _rows_forward if by_rows else _patches_forward
    # Two blocks at least: XLA would repeat the sum over the rows in whatever reads the result.
    block = min(block_size(x, numbers, _BLOCK_BYTES), max(1, x.shape[0] // 2))
    return map_blocks(lambda part: convolve(window, part, filters), x, block)


def to_filter(window: Window, x: Array, y: Array) -> Array:
    """The gradient of the filters, given `y`, that of the result."""
    by_rows, numbers = _layout(window, x.shape[-1], y.shape[-1])
    correlate = _rows_to_filter if by_rows else _patches_to_filter
    block = block_size(x, numbers, _BLOCK_BYTES)
    return sum_blocks(lambda *parts: correlate(window, *parts), block, x, y)


def _layout(window: Window, inputs: int, outputs: int) -> tuple[bool, int]:
    """Whether to work by rows, and how many numbers a sample then takes."""
    (height, _), (out_height, out_width) = window.input, window.output
    kernel_h, kernel_w = window.size
    patches = out_height * out_width * (kernel_h * kernel_w * inputs + outputs)
    rows = height * out_width * (kernel_w * inputs + kernel_h * outputs)
    is_rows = window.strides[0] == 1 and rows < _ROWS_ADVANTAGE * patches
    return is_rows, rows if is_rows else patches


def _rows_forward(window: Window, x: Array, filters: Array) -> Array:
    kernel_h, kernel_w, inputs, outputs = filters.shape
    out_height, out_width = window.output
    columns = _gather(window, x, WIDTH).reshape(-1, kernel_w * inputs)
    matrix = filters.transpose(1, 2, 0, 3).reshape(kernel_w * inputs, kernel_h * outputs)
    products = jnp.dot(columns, matrix)
    products = products.reshape(x.shape[0], window.input[0], out_width, kernel_h, outputs)
    rows = [
        _shift(products[:, :, :, number], window.offset(0, number), out_height) for number in range(kernel_h)
    ]
    return reduce(jnp.add, rows)


def _rows_to_filter(window: Window, x: Array, y: Array) -> Array:
    (kernel_h, kernel_w), inputs, outputs = window.size, x.shape[-1], y.shape[-1]
    columns = _gather(window, x, WIDTH).reshape(-1, kernel_w * inputs)
    rows = _join([_shift(y, -window.offset(0, number), window.input[0]) for number in range(kernel_h)])
    product = jnp.dot(columns.T, rows.reshape(-1, kernel_h * outputs))
    return product.reshape(kernel_w, inputs, kernel_h, outputs).transpose(2, 0, 1, 3)


def _patches_forward(window: Window, x: Array, filters: Array) -> Array:
    outputs = filters.shape[-1]
    product = jnp.dot(_patches(window, x), filters.reshape(-1, outputs))
    return product.reshape(x.shape[0], *window.output, outputs)


def _patches_to_filter(window: Window, x: Array, y: Array) -> Array:
    outputs = y.shape[-1]
    product = jnp.dot(_patches(window, x).T, y.reshape(-1, outputs))
    return product.reshape(*window.size, x.shape[-1], outputs)


def _patches(window: Window, x: Array) -> Array:
    """A row a place, with all that a filter sees there in the order of the filter."""
    gathered = _gather(window, _gather(window, x, WIDTH), HEIGHT)
    return gathered.reshape(-1, gathered.shape[-1])


def _gather(window: Window, x: Array, axis: int) -> Array:
    """What every tap along `axis` sees, at every place along it, side by side in the channels."""
    padded = pad_axis(x, axis, *window.padding[axis - 1])
    return _join([tap(window, padded, axis, number) for number in range(window.size[axis - 1])])


def _shift(x: Array, offset: int, rows: int) -> Array:
    """Row `r` of the result is row `r + offset` of `x`, or zeros where there is none."""
    return pad_axis(x, HEIGHT, -offset, offset + rows - x.shape[HEIGHT])


def _join(parts: list[Array]) -> Array:
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis=-1)
