"""Narrow 2-D convolutions made wide enough for XLA's fast one.

XLA's CPU convolution is fast with more than 16 channels on either side. With fewer, neighbouring places along the
width are computed together: a convolution whose filters are a little wider, whose stride is the number of places,
and whose output channels are those of all the places. The result is the same array, reshaped.
Arrays are NHWC and HWIO, and there is one group.
"""

from __future__ import annotations

from dataclasses import replace

import jax.numpy as jnp
from jax import Array

from tapeflow.ops.nn.conv import native as conv_native
from tapeflow.ops.nn.conv.taps import WIDTH, pad_axis
from tapeflow.ops.nn.window import Window

# Up to here XLA's own convolution takes two to twelve times as long as a folded one.
NARROW_CHANNELS = 16
# Four places to a fold double the multiplications; with more inputs than this a product of patches is faster.
_MOST_INPUTS_OF_FOUR = 8


def places_to_fold(window: Window, inputs: int, outputs: int) -> int:
    """How many neighbouring places a folded convolution computes together; 1 where folding does not pay."""
    width = window.size[1]
    if window.strides[1] != 1 or window.dilations[1] != 1 or width < 3 or inputs == 3:
        return 1
    places = 2 if 2 * outputs > NARROW_CHANNELS else 4
    if places * outputs <= NARROW_CHANNELS or window.output[1] % places:
        return 1
    return 1 if places == 4 and inputs > _MOST_INPUTS_OF_FOUR else places


def forward(window: Window, places: int, x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`, `places` places at a time."""
    shifted = [pad_axis(filters, WIDTH - 1, place, places - 1 - place) for place in range(places)]
    size, strides = (window.size[0], window.size[1] + places - 1), (window.strides[0], places)
    folded = replace(window, size=size, strides=strides)
    result = conv_native.forward(folded, x, jnp.concatenate(shifted, axis=-1))
    return result.reshape(x.shape[0], *window.output, filters.shape[-1])
