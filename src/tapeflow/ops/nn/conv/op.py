"""The three ops of convolution: from a tensor laid out as the user has it to the kernel and back.

Each adds a bias, one number a channel of the result, if it is given one: a layer is then one node.
The checks sit in the ops, so they run once for each combination of shapes, when the engine infers the
result, and cost nothing afterwards.
"""

from __future__ import annotations

import math
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.ops.domains import FLOATING, Domain
from tapeflow.ops.host_args import invalid
from tapeflow.ops.nn.conv import kernel as conv_kernel
from tapeflow.ops.nn.conv import volume as conv_volume
from tapeflow.ops.nn.window import Paddings, Sizes, Window
from tapeflow.ops.nn.window_args import Layout, make_window

_CONVOLVED = Domain(
    "a floating-point or int32 tensor",
    (jnp.floating, jnp.int32),
    "Cast it first, for example with tf.cast(x, tf.float32).",
)


@op(name="Conv2D")
def conv_op(
    x: jax.Array,
    filters: jax.Array,
    bias: jax.Array | None = None,
    *,
    layout: Layout,
    strides: Sizes,
    padding: str | Paddings,
    dilations: Sizes,
) -> jax.Array:
    """The convolution of `x`, laid out as `layout` says, with filters `(*size, inputs, outputs)`."""
    _CONVOLVED.check(layout.where, input=x)
    _check_ranks(layout, x, filters)
    images = _to_images(layout, x)
    inputs, (per_group, outputs) = images.shape[-1], filters.shape[-2:]
    if per_group < 1 or inputs % per_group:
        raise invalid(
            f"{layout.where} expected input with a multiple of the channels of filters; got "
            f"{inputs} channels for {per_group} (input {_shape(x)}, filters {_shape(filters)}, "
            f"data_format={layout.data_format!r}). Filters are (*size, input channels, outputs)."
        )
    groups = inputs // per_group
    if outputs % groups:
        raise invalid(
            f"{layout.where} expected as many outputs as can be split into {groups} groups; got "
            f"{outputs} outputs (input {_shape(x)}, filters {_shape(filters)}). "
            "There is a group for each time the input has the channels of filters."
        )
    window = _window(layout, images, filters, strides, padding, dilations)
    kernel = conv_volume if layout.spatial == 3 else conv_kernel
    result = kernel.forward((window, groups), images, _to_2d(layout, filters))
    return _from_images(layout, _biased(result, bias), x.shape[: -layout.rank + 1])


@op(name="DepthwiseConv2dNative")
def depthwise_op(
    x: jax.Array,
    filters: jax.Array,
    bias: jax.Array | None = None,
    *,
    layout: Layout,
    strides: Sizes,
    padding: str | Paddings,
    dilations: Sizes,
) -> jax.Array:
    """Every channel by itself convolved with its filters, `(*size, channels, multiplier)`."""
    FLOATING.check(layout.where, input=x)
    _check_ranks(layout, x, filters)
    images = _to_images(layout, x)
    channels = images.shape[-1]
    if filters.shape[-2] != channels:
        raise invalid(
            f"{layout.where} expected filter with the channels of input; got {filters.shape[-2]} "
            f"for {channels} (input {_shape(x)}, filter {_shape(filters)}, data_format="
            f"{layout.data_format!r}). Filters are (height, width, channels, multiplier)."
        )
    window = _window(layout, images, filters, strides, padding, dilations)
    merged = filters.reshape(*window.size, 1, -1)
    result = conv_kernel.forward((window, channels), images, merged)
    return _from_images(layout, _biased(result, bias), x.shape[: -layout.rank + 1])


@op(name="Conv2DBackpropInput")
def conv_transpose_op(
    y: jax.Array,
    filters: jax.Array,
    bias: jax.Array | None = None,
    *,
    layout: Layout,
    shape: Sizes,
    strides: Sizes,
    padding: str | Paddings,
    dilations: Sizes,
) -> jax.Array:
    """What a convolution with result `y` was made from; `shape` is the spatial one, then channels."""
    _CONVOLVED.check(layout.where, input=y)
    _check_ranks(layout, y, filters)
    images = _to_images(layout, y)
    (*spatial, channels), (per_group, outputs) = shape, filters.shape[-2:]
    if outputs != images.shape[-1]:
        raise invalid(
            f"{layout.where} expected filters whose last axis is the channels of input; got "
            f"{outputs} for {images.shape[-1]} (input {_shape(y)}, filters {_shape(filters)}, "
            f"data_format={layout.data_format!r}). Filters are (*size, output channels, input "
            "channels)."
        )
    if per_group < 1 or channels % per_group or outputs % (channels // per_group or 1):
        raise invalid(
            f"{layout.where} expected output_shape with a multiple of the output channels of "
            f"filters; got {channels} channels for {per_group} (filters {_shape(filters)}). "
            "Filters are (*size, output channels, input channels)."
        )
    target = (1, *spatial) if layout.spatial == 1 else tuple(spatial)
    size = _to_2d(layout, filters).shape[:-2]
    window = make_window(target, size, *_two(layout, strides, padding, dilations))
    if window.output != images.shape[1:-1]:
        raise invalid(
            f"{layout.where} expected an output_shape whose convolution has the size of input; got "
            f"{list(spatial)}, whose convolution has {list(window.output)[-layout.spatial :]} and "
            f"not {list(images.shape[1:-1])[-layout.spatial :]} (strides {list(strides)}, padding "
            f"{padding!r}). With 'SAME' it is input * strides, or up to strides - 1 less."
        )
    kernel = conv_volume if layout.spatial == 3 else conv_kernel
    result = kernel.to_input((window, channels // per_group), images, _to_2d(layout, filters))
    return _from_images(layout, _biased(result, bias), y.shape[: -layout.rank + 1])


def _check_ranks(layout: Layout, x: jax.Array, filters: jax.Array) -> None:
    if x.ndim < layout.rank:
        raise invalid(
            f"{layout.where} expected input of rank {layout.rank} or more: input must be "
            f"{layout.rank}-dimensional; got input {_shape(x)}. Its axes are a batch, "
            f"{layout.spatial} spatial and one of channels, as in {layout.data_format}; add one "
            "with tf.expand_dims."
        )
    if filters.ndim != layout.rank:
        raise invalid(
            f"{layout.where} expected filters of rank {layout.rank}: filter must be "
            f"{layout.rank}-dimensional; got filters {_shape(filters)}. Their axes are "
            f"{layout.spatial} spatial, the input channels and the outputs."
        )


def _shape(x: jax.Array) -> str:
    return f"of shape {list(x.shape)}"


def _biased(images: Any, bias: jax.Array | None) -> jax.Array:
    return images if bias is None else images + bias


def _to_images(layout: Layout, x: jax.Array) -> jax.Array:
    """`x` as NHWC or NDHWC, with all leading axes in the batch."""
    split = x.ndim - layout.rank + 1
    x = x.reshape(math.prod(x.shape[:split]), *x.shape[split:])
    if layout.is_channels_first:
        x = jnp.moveaxis(x, 1, -1)
    return jnp.expand_dims(x, 1) if layout.spatial == 1 else x


def _from_images(layout: Layout, images: jax.Array, leading: tuple[int, ...]) -> jax.Array:
    result = jnp.squeeze(images, 1) if layout.spatial == 1 else images
    if layout.is_channels_first:
        result = jnp.moveaxis(result, -1, 1)
    return result.reshape(*leading, *result.shape[1:])


def _to_2d(layout: Layout, filters: jax.Array) -> jax.Array:
    """Filters over one axis as filters of one row."""
    return jnp.expand_dims(filters, 0) if layout.spatial == 1 else filters


def _two(
    layout: Layout, strides: Sizes, padding: str | Paddings, dilations: Sizes
) -> tuple[Sizes, str | Paddings, Sizes]:
    """The arguments of a window over two axes at least; a single spatial axis is the second."""
    if layout.spatial > 1:
        return strides, padding, dilations
    pairs = padding if isinstance(padding, str) else ((0, 0), *padding)
    return (1, *strides), pairs, (1, *dilations)


def _window(
    layout: Layout,
    images: jax.Array,
    filters: jax.Array,
    strides: Sizes,
    padding: str | Paddings,
    dilations: Sizes,
) -> Window:
    size = _to_2d(layout, filters).shape[:-2]
    return make_window(images.shape[1:-1], size, *_two(layout, strides, padding, dilations))
