"""3-D convolution as a 2-D one: what the taps along the depth see goes side by side into the channels.

A volume is then a batch of planes with `depth` times the channels, and the fast paths of `conv_kernel`
serve it, gradients included. Arrays are NDHWC and DHWIO.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from tapeflow.ops.nn.conv import kernel as conv_kernel
from tapeflow.ops.nn.conv.taps import pad_axis, tap
from tapeflow.ops.nn.window import Window

DEPTH = 1


def forward(statics: tuple[Window, int], x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`; `statics` is the window and the number of groups."""
    window, groups = statics
    shape = (x.shape[0], *window.output, filters.shape[-1])
    if 0 in (*x.shape, *shape):
        return jnp.zeros(shape, x.dtype)
    planes = _fold(window, groups, x)
    result: Any = conv_kernel.forward((_plane(window), groups), planes, _fold_filters(filters))
    return result.reshape(shape)


def to_input(statics: tuple[Window, int], y: Array, filters: Array) -> Array:
    """The gradient of `x`, given `y`, that of the result: also the transposed convolution of `y`."""
    window, groups = statics
    shape = (y.shape[0], *window.input, filters.shape[-2] * groups)
    if 0 in (*y.shape, *shape):
        return jnp.zeros(shape, y.dtype)
    planes = y.reshape(-1, *y.shape[2:])
    folded: Any = conv_kernel.to_input((_plane(window), groups), planes, _fold_filters(filters))
    unfold = jax.linear_transpose(
        lambda x: _fold(window, groups, x), jax.ShapeDtypeStruct(shape, folded.dtype)
    )
    (result,) = unfold(folded)
    return result


def _plane(window: Window) -> Window:
    """The window over the two axes that are left."""
    return Window(
        window.input[1:], window.size[1:], window.strides[1:], window.padding[1:], window.dilations[1:]
    )


def _fold(window: Window, groups: int, x: Array) -> Array:
    """A plane for each place along the depth; a group's channels hold what every tap sees of them."""
    padded = pad_axis(x, DEPTH, *window.padding[0])
    seen = [tap(window, padded, DEPTH, number) for number in range(window.size[0])]
    parted = [t.reshape(-1, *t.shape[2:4], groups, t.shape[-1] // groups) for t in seen]
    joined = jnp.concatenate(parted, axis=-1)
    return joined.reshape(*joined.shape[:3], -1)


def _fold_filters(filters: Array) -> Array:
    depth, height, width, inputs, outputs = filters.shape
    return filters.transpose(1, 2, 0, 3, 4).reshape(height, width, depth * inputs, outputs)
