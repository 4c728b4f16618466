"""The gradient of the filters as a convolution in the layout that XLA runs fast on a CPU.

Samples and channels change places: every input channel is an image, its channels are the samples, and the gradient of
the result is the filters, as large as the result. Automatic differentiation asks for the same convolution, but leaves
it to XLA to reorder the axes, which it does not do inside of a loop: there it takes a hundred times as long.
Arrays are NHWC and HWIO, and there is one group.
"""

from __future__ import annotations

from functools import partial

from jax import Array, lax

from tapeflow.ops.nn.conv.blocks import sum_blocks
from tapeflow.ops.nn.conv.fold import NARROW_CHANNELS
from tapeflow.ops.nn.window import Window

# As many samples as a vector of float32 holds on most CPUs: larger blocks leave the cache.
_SAMPLES = 8
# Few outputs need more samples than `NARROW_CHANNELS` for XLA to take its fast path.
_SAMPLES_OF_FEW_OUTPUTS = 32


def samples_of_block(samples: int, outputs: int) -> int:
    """How many samples are convolved at a time; 0 where the batch is no multiple of that, or outputs are too few."""
    if outputs < NARROW_CHANNELS:
        return 0
    block = _SAMPLES if outputs > NARROW_CHANNELS else _SAMPLES_OF_FEW_OUTPUTS
    return 0 if samples % block else block


def to_filter(window: Window, block: int, x: Array, y: Array) -> Array:
    """The gradient of the filters, given `y`, that of the result, `block` samples at a time."""
    return sum_blocks(partial(_correlate, window), block, x, y).transpose(1, 2, 0, 3)


def _correlate(window: Window, x: Array, y: Array) -> Array:
    padding = []
    for cells, places, stride, extent, (low, _) in zip(
        window.input, window.output, window.strides, window.extent, window.padding, strict=True
    ):
        # The last tap of the last place ends here; what the window never sees is cut off.
        end = (places - 1) * stride + extent
        padding.append((low, end - low - cells))
    return lax.conv_general_dilated(
        x.transpose(3, 1, 2, 0),
        y.transpose(1, 2, 0, 3),
        window.dilations,
        padding,
        rhs_dilation=window.strides,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )
