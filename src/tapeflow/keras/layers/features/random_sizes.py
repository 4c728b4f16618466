"""Random parts and random sizes of images in training: `RandomCrop`, `RandomHeight`, `RandomWidth`."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.features.image_size import check_image_size, fitted_to, resize_method
from tapeflow.keras.layers.stochastic.dropout import RandomLayer
from tapeflow.ops.image.resize import resize_op
from tapeflow.ops.random.draw import draw_uniform


class RandomCrop(RandomLayer):
    """Crops images during training, at one random position for the whole batch.

    Otherwise, and where images are smaller than that part, the middle of them, resized.

    Args:
        height, width: the size of the part.
        seed: an integer to draw the same in every run.
        **kwargs: see `Layer`.
    """

    def __init__(self, height: int, width: int, seed: int | None = None, **kwargs: Any) -> None:
        check_image_size("RandomCrop", height, width)
        super().__init__(seed=seed, **kwargs)
        self.height = height
        self.width = width

    def call(self, inputs: Tensor, training: bool | None = True) -> Tensor:
        images = tf.cast(inputs, self.compute_dtype)
        spare_rows, spare_columns = (
            images.spec.shape[-3] - self.height,
            images.spec.shape[-2] - self.width,
        )
        if not training or spare_rows < 0 or spare_columns < 0:
            return tf.cast(fitted_to(images, self.height, self.width), self.compute_dtype)
        share = draw_uniform("RandomCrop", self.seed_generator.next_key, (2,), 0.0, 1.0, "float32")
        top, left = tf.unstack(
            tf.cast(share * tf.constant([spare_rows + 1.0, spare_columns + 1.0]), tf.int32)
        )
        lead = [0] * (len(images.shape) - 3)
        size = [*images.spec.shape[:-3], self.height, self.width, images.spec.shape[-1]]
        return tf.slice(images, tf.stack([*lead, top, left, 0]), size)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tuple(input_shape)
        return tf.TensorShape((*shape[:-3], self.height, self.width, shape[-1]))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "height": self.height, "width": self.width, "seed": self.seed}


class _RandomSize(RandomLayer):
    """A layer that stretches the images of a batch along one axis.

    The size of its result is random, so a training step that holds it reads a value: it runs as plain Python, and
    compiles for every size. Stretch images in a dataset's `map` where that matters.
    """

    _axis: ClassVar[int]

    def __init__(
        self, factor: Any, interpolation: str = "bilinear", seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        lower, upper = factor if isinstance(factor, (tuple, list)) else (-factor, factor)
        if upper < lower:
            raise ValueError(
                "`factor` argument cannot have an upper bound lesser than the lower bound. Received: "
                f"factor={factor}"
            )
        if lower < -1:
            raise ValueError(f"`factor` argument must have values larger than -1. Received: factor={factor}")
        self.factor = factor
        self.interpolation = interpolation
        self._method = resize_method(interpolation)
        self._bounds = (1.0 + lower, 1.0 + upper)

    def call(self, inputs: Tensor, training: bool | None = True) -> Tensor:
        images = tf.cast(inputs, self.compute_dtype)
        if not training:
            return images
        draw = draw_uniform(type(self).__name__, self.seed_generator.next_key, (), *self._bounds, "float32")
        size = list(images.spec.shape[-3:-1])
        size[self._axis] = int(float(draw) * size[self._axis])
        resized = resize_op(tf.cast(images, tf.float32), size=tuple(size), method=self._method)
        return tf.cast(resized, self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "factor": self.factor,
            "interpolation": self.interpolation,
            "seed": self.seed,
        }


class RandomHeight(_RandomSize):
    """Stretch a batch of images to a random height.

    Args:
        factor: by what share of the height: up to that either way, or a pair of bounds.
        interpolation: as in `Resizing`.
        seed: an integer to draw the same in every run.
        **kwargs: see `Layer`.
    """

    _axis: ClassVar[int] = 0
    _knows_output_shape: ClassVar[bool] = True


class RandomWidth(_RandomSize):
    """Stretches a batch of images to a random width; the same arguments as `RandomHeight`."""

    _axis: ClassVar[int] = 1
    _knows_output_shape: ClassVar[bool] = True
