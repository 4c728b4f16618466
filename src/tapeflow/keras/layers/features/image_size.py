"""Layers that bring images to a size: `Resizing` and `CenterCrop`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.ops.image.resize import RESIZE_METHODS, resize_op

_MAX_SIDE = 1 << 20


def check_image_size(where: str, height: int, width: int) -> None:
    """Raise unless images may have a size.

    Raises:
        ValueError: a side is negative, or so long that its coordinates alone would take gigabytes.
    """
    if not 0 < height <= _MAX_SIDE or not 0 < width <= _MAX_SIDE:
        raise ValueError(
            f"{where} expected a height and width of 1 to {_MAX_SIDE}; got height={height!r}, width={width!r}."
        )


class _Sized(Layer):
    """A layer whose images come out in one size."""

    def __init__(self, height: int, width: int, **kwargs: Any) -> None:
        check_image_size(type(self).__name__, height, width)
        super().__init__(**kwargs)
        self.height = height
        self.width = width

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tuple(input_shape)
        return tf.TensorShape((*shape[:-3], self.height, self.width, shape[-1]))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "height": self.height, "width": self.width}


class Resizing(_Sized):
    """Resize images.

    Args:
        height, width: the size.
        interpolation: 'bilinear', 'nearest', 'bicubic', 'area', 'lanczos3', 'lanczos5', 'gaussian' or
            'mitchellcubic'.
        crop_to_aspect_ratio: cut the longer sides first, so that nothing is stretched.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(height, width, **kwargs)
        self.interpolation = interpolation
        self._method = resize_method(interpolation)
        self.crop_to_aspect_ratio = crop_to_aspect_ratio

    def call(self, inputs: Tensor) -> Tensor:
        images = tf.cast(inputs, self.compute_dtype if self._method == "nearest" else tf.float32)
        if self.crop_to_aspect_ratio:
            images = _cut_to_ratio(images, self.height, self.width)
        resized = resize_op(images, size=(self.height, self.width), method=self._method)
        return tf.cast(resized, self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "interpolation": self.interpolation,
            "crop_to_aspect_ratio": self.crop_to_aspect_ratio,
        }


class CenterCrop(_Sized):
    """Crop the centre of images; images that are too small are resized.

    Args:
        height, width: the size.
        **kwargs: see `Layer`.
    """

    def call(self, inputs: Tensor) -> Tensor:
        images = tf.cast(inputs, self.compute_dtype)
        high, wide = images.spec.shape[-3:-1]
        if high < self.height or wide < self.width:
            return tf.cast(fitted_to(images, self.height, self.width), self.compute_dtype)
        return _cut(images, self.height, self.width)


def resize_method(interpolation: Any) -> str:
    """The name of a method to resize with, in lower case."""
    method = interpolation.lower() if isinstance(interpolation, str) else interpolation
    if method not in RESIZE_METHODS:
        raise NotImplementedError(
            f"Value not recognized for `interpolation`: {interpolation}. Supported values are: "
            f"{list(RESIZE_METHODS)}"
        )
    return method


def fitted_to(images: TensorLike, height: int, width: int) -> Tensor:
    """The largest middle part with the ratio of a size, resized to it; float32."""
    cut = _cut_to_ratio(tf.cast(images, tf.float32), height, width)
    return resize_op(cut, size=(height, width), method="bilinear")


def _cut(images: Tensor, height: int, width: int) -> Tensor:
    """The middle of images that are large enough."""
    high, wide = images.spec.shape[-3:-1]
    top, left = (high - height) // 2, (wide - width) // 2
    return images[..., top : top + height, left : left + width, :]


def _cut_to_ratio(images: Tensor, height: int, width: int) -> Tensor:
    """The largest middle part with the ratio of a size."""
    high, wide = images.spec.shape[-3:-1]
    return _cut(images, min(high, int(wide * height / width)), min(wide, int(high * width / height)))
