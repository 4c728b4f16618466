"""Global pooling: the largest value, or the mean, of each channel."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.convolution import window_args


class GlobalPooling(Layer):
    """What global pooling layers share: the axes they reduce.

    Args:
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        keepdims: keep the reduced axes, with size 1.
        **kwargs: see `Layer`.
    """

    rank: ClassVar[int]

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = window_args.read_data_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=self.rank + 2)
        first = 2 if self.data_format == "channels_first" else 1
        self._axes = tuple(range(first, first + self.rank))

    def build(self, input_shape: InputShape) -> None:
        for axis in self._axes:
            if tuple(input_shape)[axis] == 0:
                raise ValueError(
                    f"Incorrect input shape {list(input_shape)} with dimension 0 at reduction axis {axis}."
                )
        self.built = True

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        leading, _, channels = window_args.parts_of(input_shape, self.rank, self.data_format)
        left = (1,) * self.rank if self.keepdims else ()
        return tf.TensorShape(window_args.shape_from(leading, left, channels, self.data_format))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format, "keepdims": self.keepdims}


class _GlobalMax(GlobalPooling):
    def call(self, inputs: Tensor) -> Tensor:
        return tf.reduce_max(inputs, self._axes, self.keepdims)


class _GlobalAverage(GlobalPooling):
    def call(self, inputs: Tensor) -> Tensor:
        return tf.reduce_mean(inputs, self._axes, self.keepdims)


class GlobalMaxPooling1D(_GlobalMax):
    """Global max pooling over time; see `GlobalPooling` for the arguments."""

    rank = 1
    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)


class GlobalMaxPooling2D(_GlobalMax):
    """Global max pooling over images; see `GlobalPooling` for the arguments."""

    rank = 2
    _knows_output_shape: ClassVar[bool] = True


class GlobalMaxPooling3D(_GlobalMax):
    """Global max pooling over volumes; see `GlobalPooling` for the arguments."""

    rank = 3
    _knows_output_shape: ClassVar[bool] = True


class GlobalAveragePooling1D(_GlobalAverage):
    """Global average pooling over time, without masked steps; see `GlobalPooling`.

    >>> tf.keras.layers.GlobalAveragePooling1D()(tf.zeros((2, 8, 3))).shape
    TensorShape([2, 3])
    """

    rank = 1
    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)

    def call(self, inputs: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is None:
            return super().call(inputs)
        (steps,) = self._axes
        weights = tf.expand_dims(tf.cast(mask, inputs.dtype), 3 - steps)
        total = tf.reduce_sum(inputs * weights, steps, self.keepdims)
        return total / tf.reduce_sum(weights, steps, self.keepdims)

    def compute_mask(self, inputs: Tensor, mask: TensorLike | None = None) -> Tensor | None:
        return None


class GlobalAveragePooling2D(_GlobalAverage):
    """Global average pooling over images; see `GlobalPooling` for the arguments.

    >>> tf.keras.layers.GlobalAveragePooling2D()(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 3])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True


class GlobalAveragePooling3D(_GlobalAverage):
    """Global average pooling over volumes; see `GlobalPooling` for the arguments."""

    rank = 3
    _knows_output_shape: ClassVar[bool] = True


GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
