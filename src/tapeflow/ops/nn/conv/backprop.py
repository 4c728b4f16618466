"""The gradients of a depthwise convolution, as functions: `tf.nn.depthwise_conv2d_backprop_input` and `_filter`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import read_shape
from tapeflow.ops.nn.conv.op import depthwise_op
from tapeflow.ops.nn.window_args import read_dilations, read_layout, read_padding, read_sizes


@op(name="DepthwiseConv2DBackprop")
def _backprop_op(
    other: jax.Array, gradient: jax.Array, *, shape: tuple[int, ...], of_input: bool, **statics: Any
) -> Any:
    """The gradient of one of the two factors, which does not depend on its value."""

    def convolved(wanted: Any) -> Any:
        pair = (wanted, other) if of_input else (other, wanted)
        return depthwise_op.kernel(*pair, **statics)

    _, backward = jax.vjp(convolved, jnp.zeros(shape, other.dtype))
    return backward(gradient)[0]


def _backprop(
    where: str,
    other: object,
    gradient: Any,
    shape: ShapeLike,
    shape_name: str,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
) -> Tensor:
    layout = read_layout(data_format, 2, where)
    return _backprop_op(
        other,
        gradient,
        shape=read_shape(shape, where, shape_name),
        of_input=shape_name == "input_sizes",
        layout=layout,
        strides=read_sizes(strides, layout, "strides"),
        padding=read_padding(padding, layout),
        dilations=read_dilations(dilations, layout),
    )


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: TensorLike,
    out_backprop: Any,
    strides: int | Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.depthwise_conv2d` for its input, of shape `input_sizes`, given that of its output."""
    where = "tf.nn.depthwise_conv2d_backprop_input"
    return _backprop(
        where,
        filter,
        out_backprop,
        input_sizes,
        "input_sizes",
        strides,
        padding,
        data_format,
        list(dilations),
    )


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: Any,
    strides: int | Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.depthwise_conv2d` for its filter, of shape `filter_sizes`, given that of its output."""
    where = "tf.nn.depthwise_conv2d_backprop_filter"
    return _backprop(
        where,
        input,
        out_backprop,
        filter_sizes,
        "filter_sizes",
        strides,
        padding,
        data_format,
        list(dilations),
    )
