"""Random changes of images in training: `RandomFlip`, `RandomRotation`, `RandomZoom` and others.

Images are (height, width, channels), or a batch of them, each changed by its own draw. With
`training=False` they pass as they are; with nothing said it is training, as in Keras.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.layers.stochastic.dropout import RandomLayer
from tapeflow.ops.image.transform import (
    random_flip_op,
    rotation_matrix_op,
    transform_op,
    translation_matrix_op,
    zoom_matrix_op,
)
from tapeflow.ops.random.draw import draw_uniform

_FILL_MODES = ("reflect", "wrap", "constant", "nearest")
_INTERPOLATIONS = ("nearest", "bilinear")
_FLIPS = {"horizontal": (2,), "vertical": (1,), "horizontal_and_vertical": (2, 1)}


class _RandomImages(RandomLayer):
    """A layer that changes each image of a batch by what it draws for it."""

    def call(self, inputs: Tensor, training: bool | None = True) -> Tensor:
        images = tf.cast(inputs, self.compute_dtype)
        if not training:
            return images
        rank = len(images.shape)
        if rank not in (3, 4):
            raise ValueError(
                f"{type(self).__name__} expected an image or a batch of them: Expected the input image to be rank 3 "
                f"or 4. Got inputs.shape = {images.shape}"
            )
        if rank == 4:
            return self._change(images)
        return tf.squeeze(self._change(tf.expand_dims(images, 0)), 0)

    def _change(self, images: Any) -> Any:
        """A batch of images, changed."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to change: write _change.")

    def _drawn(self, images: Tensor, low: float, high: float) -> Tensor:
        """A float32 number for each image."""
        count = (images.shape[0],)
        return draw_uniform(type(self).__name__, self.seed_generator.next_key, count, low, high, "float32")


class RandomFlip(_RandomImages):
    """Flip images at random, horizontally, vertically or both.

    Args:
        mode: 'horizontal', 'vertical' or 'horizontal_and_vertical'.
        seed: an integer to draw the same in every run.
        **kwargs: see `Layer`.
    """

    def __init__(self, mode: str = "horizontal_and_vertical", seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        if mode not in _FLIPS:
            raise ValueError(
                f"RandomFlip layer {self.name} received an unknown mode argument {mode}. Use one of "
                f"{', '.join(_FLIPS)}."
            )
        self.mode = mode

    def _change(self, images: Tensor) -> Tensor:
        return random_flip_op(images, self.seed_generator.next_key(), axes=_FLIPS[self.mode])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mode": self.mode, "seed": self.seed}


class _RandomTransform(_RandomImages):
    """A layer that reads each image through a random matrix."""

    def __init__(
        self, fill_mode: str, interpolation: str, seed: int | None, fill_value: float, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        if fill_mode not in _FILL_MODES:
            raise NotImplementedError(
                f"Unknown `fill_mode` {fill_mode}. Only {', '.join(_FILL_MODES)} are supported."
            )
        if interpolation not in _INTERPOLATIONS:
            raise NotImplementedError(
                f"Unknown `interpolation` {interpolation}. Only {', '.join(_INTERPOLATIONS)} are supported."
            )
        self.fill_mode = fill_mode
        self.fill_value = fill_value
        self.interpolation = interpolation

    def _matrices(self, images: Any) -> Any:
        """Where to read each image of a batch."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to transform: write _matrices.")

    def _change(self, images: Tensor) -> Tensor:
        return transform_op(
            images,
            self._matrices(images),
            interpolation=self.interpolation,
            fill_mode=self.fill_mode,
            fill_value=float(self.fill_value),
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "fill_mode": self.fill_mode,
            "fill_value": self.fill_value,
            "interpolation": self.interpolation,
            "seed": self.seed,
        }


class RandomRotation(_RandomTransform):
    """Rotate each image by a random angle.

    Args:
        factor: how far, as a share of a full turn: up to that on either side, or a pair of bounds.
        fill_mode: what is outside: 'reflect', 'wrap', 'nearest' or 'constant'.
        interpolation: 'bilinear' or 'nearest'.
        seed: an integer to draw the same in every run.
        fill_value: what is outside with 'constant'.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        factor: float | Sequence[float],
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.factor = factor
        self.lower, self.upper = _bounds(factor)
        if self.upper < self.lower:
            raise ValueError(f"`factor` argument cannot have a negative value. Received: factor={factor}")

    def _matrices(self, images: Tensor) -> Tensor:
        _, height, width, _ = images.spec.shape
        angles = self._drawn(images, self.lower * 2 * math.pi, self.upper * 2 * math.pi)
        return rotation_matrix_op(angles, height=height, width=width)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor}


class RandomZoom(_RandomTransform):
    """Zoom each image by a random factor: out if it is positive, in if it is negative.

    Args:
        height_factor: by what share of the height: up to that either way, or a pair of bounds.
        width_factor: the same for the width; both alike unless given.
        fill_mode, interpolation, seed, fill_value: as in `RandomRotation`.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        height_factor: float | Sequence[float],
        width_factor: float | Sequence[float] | None = None,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.height_lower, self.height_upper = _bounds(height_factor)
        if max(abs(self.height_lower), abs(self.height_upper)) > 1:
            raise ValueError(
                "`height_factor` argument must have values between [-1, 1]. Received: "
                f"height_factor={height_factor}"
            )
        self.width_factor = width_factor
        if width_factor is not None:
            self.width_lower, self.width_upper = _bounds(width_factor)
            if min(self.width_lower, self.width_upper) < -1:
                raise ValueError(
                    f"`width_factor` argument must have values larger than -1. Received: width_factor={width_factor}"
                )

    def _matrices(self, images: Tensor) -> Tensor:
        _, height, width, _ = images.spec.shape
        high = wide = self._drawn(images, 1 + self.height_lower, 1 + self.height_upper)
        if self.width_factor is not None:
            wide = self._drawn(images, 1 + self.width_lower, 1 + self.width_upper)
        return zoom_matrix_op(wide, high, height=height, width=width)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "height_factor": self.height_factor,
            "width_factor": self.width_factor,
        }


class RandomTranslation(_RandomTransform):
    """Shift each image by a random distance.

    Args:
        height_factor: by what share of the height: up to that either way, or a pair of bounds.
        width_factor: the same for the width.
        fill_mode, interpolation, seed, fill_value: as in `RandomRotation`.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        height_factor: float | Sequence[float],
        width_factor: float,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self.height_lower, self.height_upper = _shift_bounds("height_factor", height_factor)
        self.width_lower, self.width_upper = _shift_bounds("width_factor", width_factor)

    def _matrices(self, images: Tensor) -> Tensor:
        _, height, width, _ = images.spec.shape
        down = self._drawn(images, self.height_lower, self.height_upper)
        right = self._drawn(images, self.width_lower, self.width_upper)
        return translation_matrix_op(right, down, height=height, width=width)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "height_factor": self.height_factor,
            "width_factor": self.width_factor,
        }


class RandomContrast(_RandomImages):
    """Change the contrast of images by one random factor, then clip to [0, 255].

    Args:
        factor: the factor lies in [1 - factor, 1 + factor]; or a pair, the first for below.
        seed: an integer to draw the same in every run.
        **kwargs: see `Layer`.
    """

    def __init__(self, factor: Any, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.factor = factor
        self.lower, self.upper = factor if isinstance(factor, (tuple, list)) else (factor, factor)
        if self.lower < 0 or self.upper < 0 or self.lower > 1:
            raise ValueError(
                f"`factor` argument cannot have negative values or values greater than 1. Received: factor={factor}"
            )

    def _change(self, images: Tensor) -> Tensor:
        factor = tf.cast(self._drawn(images[:1], 1 - self.lower, 1 + self.upper), images.dtype)
        mean = tf.reduce_mean(images, axis=(1, 2), keepdims=True)
        return tf.clip_by_value((images - mean) * factor + mean, 0, 255)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor, "seed": self.seed}


class RandomBrightness(_RandomImages):
    """Change the brightness of each image by a random amount, then clip to `value_range`.

    Args:
        factor: the most to add, as a share of the range and either way; or a pair of bounds.
        value_range: the smallest and the largest value.
        seed: an integer to draw the same in every run.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        factor: float | Sequence[float],
        value_range: Any = (0, 255),
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        pair = [-abs(factor), abs(factor)] if isinstance(factor, (int, float)) else factor
        is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
        if not is_pair or any(abs(bound) > 1 for bound in pair):
            raise ValueError(
                "The `factor` argument should be a number (or a list of two numbers) in the range [-1.0, 1.0]. "
                f"Got {factor}"
            )
        if not isinstance(value_range, (tuple, list)) or len(value_range) != 2:
            raise ValueError(f"The `value_range` argument should be a list of two numbers. Got {value_range}")
        self._factor = sorted(pair)
        self._value_range = sorted(value_range)

    def _change(self, images: Tensor) -> Tensor:
        low, high = self._value_range
        share = self._drawn(images, *self._factor) * float(high - low)
        delta = tf.reshape(tf.cast(share, images.dtype), (images.shape[0], 1, 1, 1))
        return tf.clip_by_value(images + delta, low, high)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "factor": self._factor,
            "value_range": self._value_range,
            "seed": self.seed,
        }


def _bounds(factor: Any) -> tuple[float, float]:
    """A pair of bounds, or the same either way for one number."""
    return (factor[0], factor[1]) if isinstance(factor, (tuple, list)) else (-factor, factor)


def _shift_bounds(name: str, factor: float | Sequence[float]) -> tuple[float, float]:
    lower, upper = _bounds(factor)
    if upper < lower:
        raise ValueError(f"`{name}` cannot have upper bound less than lower bound, got {factor}")
    if max(abs(lower), abs(upper)) > 1:
        raise ValueError(f"`{name}` argument must have values between [-1, 1]. Received: {name}={factor}")
    return lower, upper
