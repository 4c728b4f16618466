"""Sequences, images and volumes made larger by whole factors."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.convolution import window_args
from tapeflow.ops.array.enlarging import METHODS, mix_op, repeat_op

# Enlarging by whole factors, the mean over an area is the pixel itself.
_REPEATING = ("nearest", "area")


class UpSampling1D(Layer):
    """Repeat every step `size` times: (batch, steps, channels).

    Args:
        size: how often.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = int(size)
        self.input_spec = InputSpec(ndim=3)

    def call(self, inputs: Tensor) -> Tensor:
        return repeat_op(inputs, factors=((1, self.size),))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return _larger(input_shape, (self.size,), "channels_last")

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "size": self.size}


class _UpSampling(Layer):
    """Larger by `size` along `rank` spatial axes."""

    rank: ClassVar[int]

    def __init__(self, size: int = 2, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = window_args.read_data_format(data_format)
        self.size = window_args.read_sizes(size, self.rank, "size")
        self.input_spec = InputSpec(ndim=self.rank + 2)
        first = 2 if self.data_format == "channels_first" else 1
        self._factors = tuple(enumerate(self.size, first))

    def call(self, inputs: Tensor) -> Tensor:
        return repeat_op(inputs, factors=self._factors)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return _larger(input_shape, self.size, self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "size": self.size, "data_format": self.data_format}


class UpSampling2D(_UpSampling):
    """Upsample images by repeating or interpolating pixels.

    Args:
        size: the factor; an int, or two for rows and columns.
        data_format: 'channels_last' or 'channels_first'; the global setting if None.
        interpolation: 'nearest' and 'area' repeat pixels; 'bilinear', 'bicubic', 'mitchellcubic',
            'lanczos3', 'lanczos5' and 'gaussian' mix neighbours.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.UpSampling2D(2, interpolation="bilinear")(tf.zeros((2, 8, 8, 3))).shape
    TensorShape([2, 16, 16, 3])
    """

    rank = 2
    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self, size: int = 2, data_format: str | None = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(size, data_format, **kwargs)
        self.interpolation = interpolation.lower() if isinstance(interpolation, str) else interpolation
        known = (*_REPEATING, *METHODS)
        if self.interpolation not in known:
            raise NotImplementedError(
                f"Value not recognized for `interpolation`: {interpolation}. Supported values are: {list(known)}"
            )

    def call(self, inputs: Tensor) -> Tensor:
        if self.interpolation in _REPEATING:
            return super().call(inputs)
        return mix_op(inputs, factors=self._factors, method=self.interpolation)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "interpolation": self.interpolation}


class UpSampling3D(_UpSampling):
    """Upsample volumes by repeating voxels; see `UpSampling2D` for the arguments."""

    rank = 3
    _knows_output_shape: ClassVar[bool] = True


def _larger(input_shape: InputShape, size: tuple[int, ...], data_format: str) -> TensorShape:
    leading, spatial, channels = window_args.parts_of(input_shape, len(size), data_format)
    lengths = tuple(n if n is None else n * factor for n, factor in zip(spatial, size, strict=True))
    return tf.TensorShape(window_args.shape_from(leading, lengths, channels, data_format))
