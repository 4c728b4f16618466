"""Transposed convolutions, from small to large: `Conv1DTranspose`, `Conv2DTranspose`, `Conv3DTranspose`."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    InputShape,
    RegularizerLike,
    WindowSizes,
)
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.convolution import window_args
from tapeflow.keras.layers.convolution.conv import Conv
from tapeflow.ops.nn.conv.op import conv_transpose_op


class ConvTranspose(Conv):
    """What transposed convolutions share: the input of the convolution that would give this output's size.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the window; an int for all axes, or one an axis.
        strides: by how much the output is larger.
        padding: 'valid' or 'same', of the convolution that is transposed.
        output_padding: cells to add at the end of each axis, less than the stride; worked out if None.
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        dilation_rate: the distance between two cells that the window sees.
        activation: a function or its name; by default none.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, bias_regularizer: penalties on them, added to the losses.
        activity_regularizer: a penalty on the output, added to the losses.
        kernel_constraint, bias_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: WindowSizes,
        strides: WindowSizes = 1,
        padding: str = "valid",
        output_padding: WindowSizes | None = None,
        data_format: str | None = None,
        dilation_rate: WindowSizes = 1,
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
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        self.output_padding: tuple[int, ...] | None = None
        if output_padding is not None:
            self.output_padding = window_args.read_sizes(
                output_padding, self.rank, "output_padding", allow_zero=True
            )
            if any(extra >= stride for extra, stride in zip(self.output_padding, self.strides, strict=True)):
                raise ValueError(
                    f"Strides must be greater than output padding. Received strides={self.strides}, "
                    f"output_padding={self.output_padding}."
                )

    def build(self, input_shape: InputShape) -> None:
        if len(input_shape) != self.rank + 2:
            raise ValueError(
                f"Inputs should have rank {self.rank + 2}. Received input_shape={tuple(input_shape)}."
            )
        channels = self._channels_of(input_shape, f" to `{type(self).__name__}`")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.kernel = self.add_weight(
            "kernel",
            shape=(*self.kernel_size, self.filters, channels),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._add_bias(self.filters)
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        _, spatial, _ = window_args.parts_of(inputs.spec.shape, self.rank, self.data_format)
        outputs = conv_transpose_op(
            *self._with_bias(inputs, self.kernel),
            shape=(*self._lengths(spatial), self.filters),
            **self._window,
        )
        return self._activated(outputs)

    def _lengths(self, spatial: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return window_args.transposed_lengths(
            spatial, self.kernel_size, self.strides, self.padding, self.dilation_rate, self.output_padding
        )

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        leading, spatial, _ = window_args.parts_of(input_shape, self.rank, self.data_format)
        lengths = self._lengths(spatial)
        return tf.TensorShape(window_args.shape_from(leading, lengths, self.filters, self.data_format))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "output_padding": self.output_padding}


class Conv1DTranspose(ConvTranspose):
    """Transposed convolution over time; see `ConvTranspose` for the arguments."""

    rank = 1
    _knows_output_shape: ClassVar[bool] = True


class Conv2DTranspose(ConvTranspose):
    """Transposed convolution over images; see `ConvTranspose` for the arguments.

    >>> tf.keras.layers.Conv2DTranspose(4, 3, strides=2, padding="same")(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 16, 16, 4])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True


class Conv3DTranspose(ConvTranspose):
    """Transposed convolution over volumes; see `ConvTranspose` for the arguments."""

    rank = 3
    _knows_output_shape: ClassVar[bool] = True


Convolution1DTranspose = Conv1DTranspose
Convolution2DTranspose = Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose
