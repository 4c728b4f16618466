"""Depthwise convolutions: each channel by itself. `DepthwiseConv1D`, `DepthwiseConv2D`."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow.engine.values.shape import TensorShape
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
from tapeflow.keras.layers.convolution import window_args
from tapeflow.keras.layers.convolution.conv import Conv
from tapeflow.ops.nn.conv.op import depthwise_op

_NOT_TAKEN = ("filters", "kernel_initializer", "kernel_regularizer", "kernel_constraint")


class DepthwiseConv(Conv):
    """What depthwise convolutions share.

    Args:
        kernel_size: the size of the window; an int for all axes, or one an axis.
        strides: the stride.
        padding: 'valid' or 'same'.
        depth_multiplier: how many channels each channel becomes.
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        dilation_rate: the distance between two cells that the window sees.
        activation: a function or its name; by default none.
        use_bias: whether there is a bias.
        depthwise_initializer, bias_initializer: initializers of the weights.
        depthwise_regularizer, bias_regularizer: penalties on them, added to the losses.
        activity_regularizer: a penalty on the output, added to the losses.
        depthwise_constraint, bias_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        kernel_size: WindowSizes,
        strides: WindowSizes = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: WindowSizes = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        depthwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            None,
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
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)

    def build(self, input_shape: InputShape) -> None:
        if len(input_shape) != self.rank + 2:
            raise ValueError(
                f"Inputs to `DepthwiseConv` should have rank {self.rank + 2}. Received input_shape="
                f"{tuple(input_shape)}."
            )
        channels = self._channels_of(input_shape, " to `DepthwiseConv`")
        self.compute_output_shape(input_shape)  # refuses an input that the window does not fit in
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self._add_bias(channels * self.depth_multiplier)
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        return self._activated(depthwise_op(*self._with_bias(inputs, self.depthwise_kernel), **self._window))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        leading, spatial, channels = window_args.parts_of(input_shape, self.rank, self.data_format)
        outputs = None if channels is None else channels * self.depth_multiplier
        return self._output_shape(input_shape, leading, spatial, outputs)

    def get_config(self) -> dict[str, Any]:
        config = {k: v for k, v in super().get_config().items() if k not in _NOT_TAKEN}
        return {
            **config,
            "depth_multiplier": self.depth_multiplier,
            "depthwise_initializer": initializers.serialize(self.depthwise_initializer),
            "depthwise_regularizer": regularizers.serialize(self.depthwise_regularizer),
            "depthwise_constraint": constraints.serialize(self.depthwise_constraint),
        }


class DepthwiseConv1D(DepthwiseConv):
    """Convolves each channel of a sequence separately; see `DepthwiseConv` for the arguments."""

    rank = 1
    _knows_output_shape: ClassVar[bool] = True


class DepthwiseConv2D(DepthwiseConv):
    """Convolves each channel of an image separately; see `DepthwiseConv` for the arguments.

    >>> tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2)(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 6, 6, 6])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True
