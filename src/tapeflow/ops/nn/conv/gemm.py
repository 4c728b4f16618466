"""2-D convolution as matrix products, where XLA's own CPU loops are slow.

Three ways to lay a convolution out as a product, chosen by the memory they touch:

- "patches" copies all that a filter sees, `kernel_h * kernel_w * channels` numbers a place: im2col.
- "rows" copies along the width only, multiplies by every row of the filters at once, and adds up the
  products, each a row further down: for a 3x3 filter a third of the copies. It also copies the filters.
- A filter of one cell needs no copies: it is a product of the channels.

A block of a few samples is one product. Arrays are NHWC and HWIO, and there is one group.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

import jax.numpy as jnp
from jax import Array

from tapeflow.ops.linalg.matrix_product import dot_inputs, dot_transposed
from tapeflow.ops.nn.conv.blocks import block_size, map_blocks, sum_blocks
from tapeflow.ops.nn.conv.taps import HEIGHT, WIDTH, pad_axis, tap
from tapeflow.ops.nn.window import Window

# Enough for a product to run at full speed, small beside the caches.
_BLOCK_BYTES = 4 << 20
# A number of "rows" costs less than one of "patches": longer runs of it are contiguous.
_ROWS_ADVANTAGE = 1.5


def forward(window: Window, x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`."""
    by_rows, numbers = _layout(window, x.shape[0], *filters.shape[2:])
    block = _block(window, x, numbers, filters.size)
    if not by_rows:
        return map_blocks(partial(_patches_forward, window, filters), x, block)
    return _multiply_then_add(partial(_multiply_rows, window, filters), partial(_add_rows, window), x, block)


def to_input(window: Window, y: Array, filters: Array) -> Array:
    """The gradient of `x`, given `y`, that of the result: patches, added up where they overlap."""
    block = _block(window, y, _patch_numbers(window, *filters.shape[2:]), filters.size)
    return _multiply_then_add(
        partial(_multiply_patches, window, filters), partial(_add_patches, window), y, block
    )


def to_filter(window: Window, x: Array, y: Array) -> Array:
    """The gradient of the filters, given `y`, that of the result."""
    inputs, outputs = x.shape[-1], y.shape[-1]
    by_rows, numbers = _layout(window, x.shape[0], inputs, outputs)
    correlate = partial(_rows_to_filter if by_rows else _patches_to_filter, window)
    filter_numbers = window.size[0] * window.size[1] * inputs * outputs
    return sum_blocks(correlate, _block(window, x, numbers, filter_numbers), x, y)


def _layout(window: Window, samples: int, inputs: int, outputs: int) -> tuple[bool, int]:
    """Whether to work by rows, and how many numbers a sample then takes."""
    height, out_width = window.input[0], window.output[1]
    kernel_h, kernel_w = window.size
    patches = _patch_numbers(window, inputs, outputs)
    rows = height * out_width * (kernel_w * inputs + kernel_h * outputs)
    is_rows = (
        kernel_h > 1
        and window.strides[0] == 1
        and rows < _ROWS_ADVANTAGE * patches
        and kernel_h * kernel_w * inputs * outputs < samples * rows
    )
    return is_rows, rows if is_rows else patches


def _patch_numbers(window: Window, inputs: int, outputs: int) -> int:
    (out_height, out_width), (kernel_h, kernel_w) = window.output, window.size
    return out_height * out_width * (kernel_h * kernel_w * inputs + outputs)


def _block(window: Window, x: Array, numbers: int, filter_numbers: int) -> int:
    """How many samples one product takes: all if nothing is copied for it, else about as much as the filters hold."""
    if max(window.size) == 1:
        return x.shape[0]
    return block_size(x, numbers, max(_BLOCK_BYTES, x.dtype.itemsize * filter_numbers))


def _multiply_then_add(
    multiply: Callable[[Array], Array], add: Callable[[Array], Array], x: Array, block: int
) -> Array:
    """Sums of shifted products, of `block` samples at a time.

    The sums are in a loop of two rounds at least: outside of one, XLA would repeat them in whatever reads the result.
    """
    samples = x.shape[0]
    if block < samples:
        return map_blocks(lambda part: add(multiply(part)), x, block)
    return map_blocks(add, multiply(x), max(1, samples // 2))


def _multiply_rows(window: Window, filters: Array, x: Array) -> Array:
    kernel_h, kernel_w, inputs, outputs = filters.shape
    columns = _gather(window, x, WIDTH).reshape(-1, kernel_w * inputs)
    matrix = filters.transpose(1, 2, 0, 3).reshape(kernel_w * inputs, kernel_h * outputs)
    products = jnp.dot(columns, matrix)
    return products.reshape(x.shape[0], window.input[0], window.output[1], kernel_h, outputs)


def _add_rows(window: Window, products: Array) -> Array:
    rows = [
        _shift(products[:, :, :, number], window.offset(0, number), window.output[0])
        for number in range(window.size[0])
    ]
    return reduce(jnp.add, rows)


def _rows_to_filter(window: Window, x: Array, y: Array) -> Array:
    (kernel_h, kernel_w), inputs, outputs = window.size, x.shape[-1], y.shape[-1]
    columns = _gather(window, x, WIDTH).reshape(-1, kernel_w * inputs)
    rows = _join([_shift(y, -window.offset(0, number), window.input[0]) for number in range(kernel_h)])
    product = dot_transposed(columns, rows.reshape(-1, kernel_h * outputs))
    return product.reshape(kernel_w, inputs, kernel_h, outputs).transpose(2, 0, 1, 3)


def _patches_forward(window: Window, filters: Array, x: Array) -> Array:
    outputs = filters.shape[-1]
    product = dot_inputs(_patches(window, x), filters.reshape(-1, outputs))
    return product.reshape(x.shape[0], *window.output, outputs)


def _patches_to_filter(window: Window, x: Array, y: Array) -> Array:
    outputs = y.shape[-1]
    product = dot_transposed(_patches(window, x), y.reshape(-1, outputs))
    return product.reshape(*window.size, x.shape[-1], outputs)


def _multiply_patches(window: Window, filters: Array, y: Array) -> Array:
    outputs = filters.shape[-1]
    patches = jnp.dot(y.reshape(-1, outputs), filters.reshape(-1, outputs).T)
    return patches.reshape(y.shape[0], *window.output, *filters.shape[:3])


def _add_patches(window: Window, patches: Array) -> Array:
    rows = [
        _scatter(window, [patches[:, :, :, row, column] for column in range(window.size[1])], WIDTH)
        for row in range(window.size[0])
    ]
    return _scatter(window, rows, HEIGHT)


def _patches(window: Window, x: Array) -> Array:
    """A row a place, with all that a filter sees there in the order of the filter."""
    gathered = _gather(window, _gather(window, x, WIDTH), HEIGHT)
    return gathered.reshape(-1, gathered.shape[-1])


def _gather(window: Window, x: Array, axis: int) -> Array:
    """What every tap along `axis` sees, at every place along it, side by side in the channels."""
    padded = pad_axis(x, axis, *window.padding[axis - 1])
    return _join([tap(window, padded, axis, number) for number in range(window.size[axis - 1])])


def _scatter(window: Window, seen: list[Array], axis: int) -> Array:
    """The reverse of `_gather`: what every tap along `axis` saw, put back to its cells and added up."""
    spatial = axis - 1
    cells, places, stride = window.input[spatial], window.output[spatial], window.strides[spatial]
    terms = []
    for number, values in enumerate(seen):
        offset = window.offset(spatial, number)
        terms.append(pad_axis(values, axis, offset, cells - offset - (places - 1) * stride - 1, stride - 1))
    return reduce(jnp.add, terms)


def _shift(x: Array, offset: int, rows: int) -> Array:
    """Row `r` of the result is row `r + offset` of `x`, or zeros where there is none."""
    return pad_axis(x, HEIGHT, -offset, offset + rows - x.shape[HEIGHT])


def _join(parts: list[Array]) -> Array:
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis=-1)
