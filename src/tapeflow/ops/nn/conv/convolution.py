"""Convolutions of `tf.nn` over one, two and three spatial axes.

`conv_kernel` computes; here is what TensorFlow lets a user say: strides as an int or a list, SAME,
VALID or explicit padding, channels first or last, dilations, groups (an input with a multiple of the
filters' channels) and extra leading axes. All of it works on every device, also where TensorFlow's CPU
kernels refuse: channels first, and dilated transposed convolutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe
from tapeflow.ops.nn.conv.op import conv_op, depthwise_op
from tapeflow.ops.nn.window_args import Layout, read_dilations, read_layout, read_padding, read_sizes


def _convolve(
    input: TensorLike,
    filters: TensorLike,
    layout: Layout,
    strides: TensorLike,
    padding: Any,
    dilations: Any,
    name: str,
) -> Tensor:
    return conv_op(
        input,
        filters,
        layout=layout,
        strides=read_sizes(strides, layout, name),
        padding=read_padding(padding, layout),
        dilations=read_dilations(dilations, layout),
    )


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: TensorLike,
    padding: TensorLike,
    data_format: str | None = "NHWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """2-D convolution of `input` with `filters`, `(height, width, input channels, outputs)`.

    Args:
        input: at least rank 4; further leading axes are part of the batch. With a multiple of the
            filters' input channels, the channels are convolved in that many groups.
        filters: of the same dtype.
        strides: an int, or a list of 1, 2 or 4.
        padding: `"SAME"`, `"VALID"`, or a pair of counts for each of the four axes.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: an int, or a list of 1, 2 or 4.
        name: ignored.

    >>> tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 3]), 2, "VALID").shape
    TensorShape([1, 2, 2, 3])
    """
    del name
    layout = read_layout(data_format, 2, "tf.nn.conv2d")
    return _convolve(input, filters, layout, strides, padding, dilations, "strides")


def conv1d(
    input: jax.Array | np.ndarray,
    filters: jax.Array | np.ndarray,
    stride: TensorLike,
    padding: str,
    data_format: str | None = "NWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """1-D convolution of `input` with `filters`, `(width, input channels, outputs)`.

    >>> tf.nn.conv1d(tf.ones([1, 4, 2]), tf.ones([3, 2, 5]), 1, "SAME").shape
    TensorShape([1, 4, 5])
    """
    del name
    layout = read_layout(_one_axis(data_format), 1, "tf.nn.conv1d", error=ValueError)
    return _convolve(input, filters, layout, stride, padding, dilations, "stride")


def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = "NDHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """3-D convolution of `input` with `filters`, `(depth, height, width, input channels, outputs)`.

    >>> tf.nn.conv3d(tf.ones([1, 4, 4, 4, 2]), tf.ones([3, 3, 3, 2, 5]), [1, 1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 4, 5])
    """
    del name
    layout = read_layout(data_format, 3, "tf.nn.conv3d")
    return _convolve(input, filters, layout, strides, padding, dilations, "strides")


def _one_axis(data_format: Any) -> Any:
    """TensorFlow takes the names of the 2-D formats for the 1-D ones as well."""
    return {"NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)


def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: TensorLike | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d`, `conv2d` or `conv3d`, by the rank of `filters`."""
    del name
    where = "tf.nn.convolution"
    weights = convert_to_tensor(filters)
    spatial = weights.ndim - 2
    if spatial not in (1, 2, 3):
        raise ValueError(
            f"{where} expected filters of rank 3, 4 or 5; got filters {describe(weights)}. "
            "It convolves over one, two or three spatial axes."
        )
    layout = read_layout(data_format, spatial, where, error=ValueError)
    given = 1 if strides is None else strides
    return _convolve(input, weights, layout, given, padding, dilations, "strides")


def atrous_conv2d(
    value: jax.Array | np.ndarray,
    filters: jax.Array | np.ndarray,
    rate: TensorLike,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """`conv2d` with dilations of `rate` and strides of 1."""
    del name
    layout = read_layout("NHWC", 2, "tf.nn.atrous_conv2d")
    return conv_op(
        value,
        filters,
        layout=layout,
        strides=(1, 1),
        padding=read_padding(padding, layout),
        dilations=read_sizes(rate, layout, "rate"),
    )


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: TensorLike,
    padding: str,
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolve every channel separately, with filters `(height, width, channels, multiplier)`.

    Output `channel * multiplier + k` is channel `channel` convolved with its filter `k`.

    >>> tf.nn.depthwise_conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 6])
    """
    del name
    layout = read_layout(data_format, 2, "tf.nn.depthwise_conv2d")
    return _depthwise(input, filter, layout, strides, padding, dilations)


def _depthwise(
    input: jax.Array | np.ndarray,
    filters: jax.Array | np.ndarray,
    layout: Layout,
    strides: Any,
    padding: str,
    dilations: Any,
) -> Tensor:
    steps = read_sizes(strides, layout, "strides")
    spacing = read_dilations(dilations, layout)
    if max(spacing) > 1 and max(steps) > 1:
        raise ValueError(
            f"{layout.where} expected strides of 1 with dilations of more than 1; got "
            f"strides={strides!r} and dilations={dilations!r}. Use one of the two, and slice the "
            "result."
        )
    return depthwise_op(
        input,
        filters,
        layout=layout,
        strides=steps,
        padding=read_padding(padding, layout),
        dilations=spacing,
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: jax.Array | np.ndarray,
    pointwise_filter: jax.Array | np.ndarray,
    strides: TensorLike,
    padding: str,
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`depthwise_conv2d`, then a 1x1 convolution that mixes the channels."""
    del name
    layout = read_layout(data_format, 2, "tf.nn.separable_conv2d")
    mixing = convert_to_tensor(pointwise_filter)
    if mixing.ndim != 4 or mixing.spec.shape[:2] != (1, 1):
        raise ValueError(
            f"{layout.where} expected pointwise_filter of shape [1, 1, channels, outputs]; got "
            f"pointwise_filter {describe(mixing)}. Its channels are those of depthwise_filter times "
            "its multiplier."
        )
    parted = _depthwise(input, depthwise_filter, layout, strides, padding, dilations)
    return _convolve(parted, mixing, layout, 1, "VALID", None, "strides")
