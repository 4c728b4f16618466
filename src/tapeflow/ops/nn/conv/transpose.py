"""Transposed convolutions of `tf.nn` over one, two and three spatial axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, read_shape
from tapeflow.ops.nn.conv.op import conv_transpose_op
from tapeflow.ops.nn.window_args import Layout, read_dilations, read_layout, read_padding, read_sizes


def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: int | Sequence[int],
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose (the gradient) of `conv2d`: from its result's size to its input's.

    Args:
        input: rank 4.
        filters: `(height, width, output channels, input channels)`.
        output_shape: the shape of the result, all four axes, or the two spatial ones.
        strides: those of the convolution that is transposed; an int, or a list of 1, 2 or 4.
        padding: its padding, as in `conv2d`.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: its dilations.
        name: ignored.

    >>> small, filters = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 5, 2])
    >>> tf.nn.conv2d_transpose(small, filters, [1, 6, 6, 5], 2).shape
    TensorShape([1, 6, 6, 5])
    """
    del name
    layout = read_layout(data_format, 2, "tf.nn.conv2d_transpose")
    return _transpose(input, filters, output_shape, layout, strides, padding, dilations)


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: int | Sequence[int],
    padding: Any = "SAME",
    data_format: str | None = "NWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`; filters are `(width, output channels, input channels)`."""
    del name
    layout = read_layout(data_format, 1, "tf.nn.conv1d_transpose", error=ValueError)
    return _transpose(input, filters, output_shape, layout, strides, padding, dilations)


def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: int | Sequence[int],
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv3d`; filters are `(depth, height, width, output channels, input channels)`."""
    del name
    layout = read_layout(data_format, 3, "tf.nn.conv3d_transpose")
    return _transpose(input, filters, output_shape, layout, strides, padding, dilations)


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: int | Sequence[int],
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d_transpose`, `conv2d_transpose` or `conv3d_transpose`, by the length of `output_shape`."""
    del name
    where = "tf.nn.conv_transpose"
    shape = read_shape(output_shape, where, "output_shape")
    if len(shape) not in (3, 4, 5):
        raise ValueError(
            f"{where} expected output_shape of length 3, 4 or 5; got output_shape={list(shape)}. "
            "It is the full shape of the result, batch and channels included."
        )
    layout = read_layout(data_format, len(shape) - 2, where, error=ValueError)
    return _transpose(input, filters, shape, layout, strides, padding, dilations)


def _transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    layout: Layout,
    strides: Any,
    padding: Any,
    dilations: Any,
) -> Tensor:
    tensor, weights = convert_to_tensor(input), convert_to_tensor(filters)
    given = read_shape(output_shape, layout.where, "output_shape")
    if len(given) == layout.spatial and weights.ndim == layout.rank:
        shape = (*given, weights.spec.shape[-2])
    elif len(given) != layout.rank:
        raise invalid(
            f"{layout.where} expected output_shape with {layout.rank} or {layout.spatial} values; "
            f"got output_shape={list(given)}. It is the shape of the result."
        )
    else:
        batch, channels = layout.other_part(given)
        if tensor.ndim and batch != tensor.spec.shape[0]:
            raise invalid(
                f"{layout.where} expected output_shape with the batch size of input; got "
                f"output_shape={list(given)} and input {describe(tensor)}. The first axis stays "
                "as it is."
            )
        shape = (*layout.spatial_part(given), channels)
    return conv_transpose_op(
        input,
        filters,
        layout=layout,
        shape=shape,
        strides=read_sizes(strides, layout, "strides"),
        padding=read_padding(padding, layout),
        dilations=read_dilations(dilations, layout),
    )


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    rate: TensorLike,
    padding: Any,
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`: of a convolution whose filter has gaps of `rate`."""
    del name
    layout = read_layout("NHWC", 2, "tf.nn.atrous_conv2d_transpose")
    return _transpose(value, filters, output_shape, layout, 1, padding, rate)
