"""Convolutions over one, two and three axes: `Conv1D`, `Conv2D`, `Conv3D`."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.annotations import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    InputShape,
    RegularizerLike,
    WindowSizes,
)
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.convolution import window_args
from tapeflow.ops.nn.conv.op import conv_op
from tapeflow.ops.nn.window_args import Layout


class Conv(Layer):
    """What all convolutions share: a window over `rank` axes, a kernel, a bias and an activation.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the window; an int for all axes, or one an axis.
        strides: the stride.
        padding: 'valid', 'same', or 'causal' (over one axis: no output sees what comes after it).
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        dilation_rate: the distance between two cells that the window sees.
        groups: the channels are split into as many groups, each convolved by itself.
        activation: a function or its name; by default none.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, bias_regularizer: penalties on them, added to the losses.
        activity_regularizer: a penalty on the output, added to the losses.
        kernel_constraint, bias_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.
    """

    rank: ClassVar[int]
    _allows_causal: ClassVar[bool] = False

    def __init__(
        self,
        filters: int | None,
        kernel_size: WindowSizes | None,
        strides: WindowSizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: WindowSizes = 1,
        groups: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = int(filters) if isinstance(filters, float) else filters
        self.groups = groups or 1
        self._check_filters()
        self.kernel_size = window_args.read_sizes(kernel_size, self.rank, "kernel_size")
        self.strides = window_args.read_sizes(strides, self.rank, "strides", allow_zero=True)
        if not all(self.strides):
            raise ValueError(f"The argument `strides` cannot contains 0(s). Received: {self.strides}")
        self.padding = window_args.read_padding(padding)
        if self.padding == "causal" and not self._allows_causal:
            raise ValueError("Causal padding is only supported for `Conv1D` and `SeparableConv1D`.")
        self.data_format = window_args.read_data_format(data_format)
        self.dilation_rate = window_args.read_sizes(dilation_rate, self.rank, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides="
                f"{self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=self.rank + 2)
        self.bias: Any = None
        self._window = self._window_statics()

    def _check_filters(self) -> None:
        if self.filters is None:
            return
        if self.filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={self.filters}."
            )
        if self.filters % self.groups:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. Received: "
                f"groups={self.groups}, filters={self.filters}"
            )

    def _window_statics(self) -> dict[str, Any]:
        """What the convolution ops want to know of the window."""
        padding: Any = self.padding.upper()
        if self.padding == "causal":
            padding = (((self.kernel_size[0] - 1) * self.dilation_rate[0], 0),)
        return {
            "layout": Layout(type(self).__name__, self.rank, self.data_format == "channels_first"),
            "strides": self.strides,
            "padding": padding,
            "dilations": self.dilation_rate,
        }

    @property
    def _channel_axis(self) -> int:
        return -1 - self.rank if self.data_format == "channels_first" else -1

    def _channels_of(self, input_shape: InputShape, owner: str = "") -> int:
        """How many channels the input has; they have to be known to make the weights."""
        axis = self._channel_axis
        channels = tf.TensorShape(input_shape)[axis]
        if channels is None:
            raise ValueError(
                f"The channel dimension of the inputs{owner} should be defined. The input_shape received is "
                f"{tuple(input_shape)}, where axis {axis} (0-based) is the channel dimension, which found to be "
                "`None`."
            )
        return channels

    def build(self, input_shape: InputShape) -> None:
        channels = self._channels_of(input_shape)
        if channels % self.groups:
            raise ValueError(
                "The number of input channels must be evenly divisible by the number of groups. Received groups="
                f"{self.groups}, but the input has {channels} channels (full input shape is "
                f"{tuple(input_shape)})."
            )
        self.compute_output_shape(input_shape)  # refuses an input that the window does not fit in
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.kernel = self.add_weight(
            "kernel",
            shape=(*self.kernel_size, channels // self.groups, self.filters),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._add_bias(self.filters)
        self.built = True

    def _add_bias(self, size: int | None) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(size,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def convolution_op(self, inputs: Tensor, kernel: Any) -> Tensor:
        """The convolution alone; a class of yours may override it, and the bias comes after."""
        return conv_op(inputs, kernel, **self._window)

    def call(self, inputs: Tensor) -> Tensor:
        if type(self).convolution_op is not Conv.convolution_op:
            return self._activated(self._biased(self.convolution_op(inputs, self.kernel)))
        return self._activated(conv_op(*self._with_bias(inputs, self.kernel), **self._window))

    def _with_bias(self, *args: Any) -> tuple[Any, ...]:
        """The arguments of an op that adds a bias if it gets one."""
        return args if self.bias is None else (*args, self.bias)

    def _biased(self, outputs: Tensor) -> Tensor:
        if self.bias is None:
            return outputs
        if self.data_format == "channels_first":
            return outputs + tf.reshape(self.bias, (-1, *(1,) * self.rank))
        return outputs + self.bias

    def _activated(self, outputs: Tensor) -> Tensor:
        return outputs if self.activation in (None, activations.linear) else self.activation(outputs)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        leading, spatial, _ = window_args.parts_of(input_shape, self.rank, self.data_format)
        return self._output_shape(input_shape, leading, spatial, self.filters)

    def _output_shape(
        self,
        input_shape: InputShape,
        leading: tuple[int | None, ...],
        spatial: tuple[int | None, ...],
        channels: int | None,
    ) -> TensorShape:
        lengths = window_args.slid_lengths(
            spatial, self.kernel_size, self.strides, self.padding, self.dilation_rate
        )
        if any(length is not None and length <= 0 for length in lengths):
            raise ValueError(
                f"One of the dimensions in the output is <= 0 due to downsampling in {self.name}. Consider "
                f"increasing the input size. Received input shape {list(input_shape)} which would produce output "
                "shape with a zero or negative value in a dimension."
            )
        return tf.TensorShape(window_args.shape_from(leading, lengths, channels, self.data_format))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filters": self.filters,
            "kernel_size": self.kernel_size,
            "strides": self.strides,
            "padding": self.padding,
            "data_format": self.data_format,
            "dilation_rate": self.dilation_rate,
            "groups": self.groups,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
        }


class Conv1D(Conv):
    """Convolution over time, (batch, steps, channels); see `Conv` for the arguments.

    >>> tf.keras.layers.Conv1D(4, 3, padding="causal")(tf.zeros((2, 8, 5))).shape
    TensorShape([2, 8, 4])
    """

    rank = 1
    _allows_causal = True
    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        filters: int,
        kernel_size: WindowSizes,
        strides: WindowSizes = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, *args, **kwargs)


class Conv2D(Conv):
    """Convolution over images, (batch, rows, columns, channels); see `Conv` for the arguments.

    >>> tf.keras.layers.Conv2D(4, 3, activation="relu")(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 6, 6, 4])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True


class Conv3D(Conv):
    """Convolution over volumes, (batch, depth, rows, columns, channels); see `Conv` for the arguments."""

    rank = 3
    _knows_output_shape: ClassVar[bool] = True


Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution3D = Conv3D
