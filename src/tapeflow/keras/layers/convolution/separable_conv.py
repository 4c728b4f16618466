"""Separable convolutions: each channel by itself, then a mix of them. `SeparableConv1D`, `SeparableConv2D`."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import constraints, initializers, regularizers
from tapeflow.keras.annotations import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    InputShape,
    RegularizerLike,
    WindowSizes,
)
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.convolution.conv import Conv
from tapeflow.ops.nn.conv.op import conv_op, depthwise_op


class SeparableConv(Conv):
    """What separable convolutions share.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the window; an int for all axes, or one an axis.
        strides: the stride.
        padding: 'valid', 'same', or 'causal' over one axis.
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        dilation_rate: the distance between two cells that the window sees.
        depth_multiplier: how many channels each channel becomes before they are mixed.
        activation: a function or its name; by default none.
        use_bias: whether there is a bias.
        depthwise_initializer, pointwise_initializer, bias_initializer: initializers of the weights.
        depthwise_regularizer, pointwise_regularizer, bias_regularizer: penalties on them, added to the losses.
        activity_regularizer: a penalty on the output, added to the losses.
        depthwise_constraint, pointwise_constraint, bias_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: WindowSizes,
        strides: WindowSizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: WindowSizes = 1,
        depth_multiplier: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = "glorot_uniform",
        pointwise_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        depthwise_regularizer: RegularizerLike = None,
        pointwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        pointwise_constraint: ConstraintLike = None,
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
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)
        self.pointwise_constraint = constraints.get(pointwise_constraint)
        ones = (1,) * self.rank
        self._mixing = {**self._window, "strides": ones, "padding": "VALID", "dilations": ones}

    def build(self, input_shape: InputShape) -> None:
        channels = self._channels_of(input_shape)
        self.compute_output_shape(input_shape)  # refuses an input that the window does not fit in
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            shape=(*(1,) * self.rank, channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._add_bias(self.filters)
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        parted = depthwise_op(inputs, self.depthwise_kernel, **self._window)
        return self._activated(conv_op(*self._with_bias(parted, self.pointwise_kernel), **self._mixing))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "depth_multiplier": self.depth_multiplier,
            "depthwise_initializer": initializers.serialize(self.depthwise_initializer),
            "pointwise_initializer": initializers.serialize(self.pointwise_initializer),
            "depthwise_regularizer": regularizers.serialize(self.depthwise_regularizer),
            "pointwise_regularizer": regularizers.serialize(self.pointwise_regularizer),
            "depthwise_constraint": constraints.serialize(self.depthwise_constraint),
            "pointwise_constraint": constraints.serialize(self.pointwise_constraint),
        }


class SeparableConv1D(SeparableConv):
    """Separable convolution over time; see `SeparableConv` for the arguments."""

    rank = 1
    _allows_causal = True
    _knows_output_shape: ClassVar[bool] = True


class SeparableConv2D(SeparableConv):
    """Separable convolution over images; see `SeparableConv` for the arguments.

    >>> tf.keras.layers.SeparableConv2D(5, 3)(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 6, 6, 5])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True


SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D
