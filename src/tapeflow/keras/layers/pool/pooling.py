"""Pooling: the largest value, or the mean, of every window."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.recording.op import Op
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape, WindowSizes
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.convolution import window_args
from tapeflow.ops.nn.pool.pooling import avg_pool_op, max_pool_op
from tapeflow.ops.nn.window_args import Layout


class Pooling(Layer):
    """What pooling layers share: a window over `rank` axes, and what becomes of what it sees.

    Args:
        pool_size: the size of the window; an int for all axes, or one an axis.
        strides: how far it moves; its size if None.
        padding: 'valid' or 'same'; cells of padding count for nothing.
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        **kwargs: see `Layer`.
    """

    rank: ClassVar[int]
    _pool_op: ClassVar[Op]

    def __init__(
        self,
        pool_size: WindowSizes = 2,
        strides: WindowSizes | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.pool_size = window_args.read_sizes(pool_size, self.rank, "pool_size")
        given = self.pool_size if strides is None else strides
        self.strides = window_args.read_sizes(given, self.rank, "strides")
        self.padding = window_args.read_padding(padding, allow_causal=False)
        self.data_format = window_args.read_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self._window = {
            "layout": Layout(type(self).__name__, self.rank, self.data_format == "channels_first"),
            "size": self.pool_size,
            "strides": self.strides,
            "padding": self.padding.upper(),
            "dilations": (1,) * self.rank,
        }

    def build(self, input_shape: InputShape) -> None:
        self.compute_output_shape(input_shape)  # refuses an input that the window does not fit in
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        return type(self)._pool_op(inputs, **self._window)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        leading, spatial, channels = window_args.parts_of(input_shape, self.rank, self.data_format)
        lengths = window_args.slid_lengths(
            spatial, self.pool_size, self.strides, self.padding, self._window["dilations"]
        )
        for axis, length in enumerate(lengths):
            if length is not None and length <= 0:
                raise ValueError(
                    f"Negative dimension size caused by subtracting {self.pool_size[axis]} from {spatial[axis]} "
                    f"in {self.name}: the input of shape {tuple(input_shape)} is smaller than the window. Pool "
                    "less before it, or use padding='same'."
                )
        return tf.TensorShape(window_args.shape_from(leading, lengths, channels, self.data_format))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "pool_size": self.pool_size,
            "padding": self.padding,
            "strides": self.strides,
            "data_format": self.data_format,
        }


class _Pooling1D(Pooling):
    """Over time the channels are last, whatever the global setting for images is."""

    rank = 1

    def __init__(
        self,
        pool_size: WindowSizes = 2,
        strides: WindowSizes | None = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class MaxPooling1D(_Pooling1D):
    """Max pooling over time; see `Pooling` for the arguments."""

    _pool_op = max_pool_op
    _knows_output_shape: ClassVar[bool] = True


class MaxPooling2D(Pooling):
    """Max pooling over images; see `Pooling` for the arguments.

    >>> tf.keras.layers.MaxPooling2D()(tf.zeros((2, 9, 9, 3))).shape
    TensorShape([2, 4, 4, 3])
    """

    rank = 2
    _pool_op = max_pool_op
    _knows_output_shape: ClassVar[bool] = True


class MaxPooling3D(Pooling):
    """Max pooling over volumes; see `Pooling` for the arguments."""

    rank = 3
    _pool_op = max_pool_op
    _knows_output_shape: ClassVar[bool] = True


class AveragePooling1D(_Pooling1D):
    """Average pooling over time; see `Pooling` for the arguments."""

    _pool_op = avg_pool_op
    _knows_output_shape: ClassVar[bool] = True


class AveragePooling2D(Pooling):
    """Average pooling over images; see `Pooling` for the arguments."""

    rank = 2
    _pool_op = avg_pool_op
    _knows_output_shape: ClassVar[bool] = True


class AveragePooling3D(Pooling):
    """Average pooling over volumes; see `Pooling` for the arguments."""

    rank = 3
    _pool_op = avg_pool_op
    _knows_output_shape: ClassVar[bool] = True


MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
