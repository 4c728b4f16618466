"""Dropout and its relatives that drop whole feature maps."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import ShapeLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.config import read_data_format
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.seed import SeedGenerator
from tapeflow.keras.layers.features.random_draws import RandomDraws
from tapeflow.ops.ragged.roomy import mapped_in_room
from tapeflow.ops.random.noise import dropout_op


class RandomLayer(Layer):
    """A layer that draws random numbers, from a generator of its own.

    Args:
        seed: where its numbers start; drawn from the global generator unless given.
        force_generator: accepted, and ignored: every random layer has a generator.
        **kwargs: see `Layer`.
    """

    def __init__(
        self, seed: int | None = None, force_generator: bool = False, rng_type: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.seed = seed
        self.seed_generator = SeedGenerator(seed)
        self.supports_masking = True

    @property
    def _random_generator(self) -> RandomDraws:
        return RandomDraws(self.seed, self.seed_generator)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)


class Dropout(RandomLayer):
    """In training, set a fraction `rate` of the inputs to 0 and divide the others by 1 - rate.

    Args:
        rate: the share, from 0 to 1.
        noise_shape: the shape of the random choice: 1 drops along an axis together, None stands for its size.
        seed: an integer to draw the same choices in every run.
        **kwargs: see `Layer`.

    >>> float(tf.keras.layers.Dropout(0.5)(tf.ones((3,))).numpy().sum())
    3.0
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self, rate: float, noise_shape: ShapeLike | None = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError(f"Invalid value {rate} received for `rate`, expected a value between 0 and 1.")
        self.rate = rate
        self.noise_shape = noise_shape

    def _get_noise_shape(self, inputs: Tensor) -> Any:
        """The shape of the choice for these inputs; a subclass may give one with tensors in it, or None."""
        return self.noise_shape

    def call(self, inputs: Tensor | tf.RaggedTensor, training: bool | None = None) -> Any:
        if not training or (not isinstance(self.rate, TensorBase) and self.rate == 0):
            return inputs
        if isinstance(inputs, tf.RaggedTensor):
            return mapped_in_room(inputs, lambda values: self.call(values, training))
        noise_shape = read_noise_shape(type(self).__name__, self._get_noise_shape(inputs), inputs.spec.shape)
        if isinstance(self.rate, TensorBase):
            return tf.nn.dropout(inputs, self.rate, noise_shape=noise_shape)
        if self.rate == 1:
            return tf.zeros_like(inputs)
        if not inputs.dtype.is_floating:
            raise ValueError(
                f"Dropout expected a floating-point input, as it will be scaled; got dtype {inputs.dtype.name}. "
                "Use tf.cast."
            )
        return dropout_op(
            inputs,
            self.seed_generator.next_key(),
            rate=float(self.rate),
            noise_shape=noise_shape,
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "rate": self.rate,
            "noise_shape": self.noise_shape,
            "seed": self.seed,
        }


def read_noise_shape(where: str, noise_shape: Any, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """`noise_shape` for an input of some sizes: None as a whole or on an axis stands for its size."""
    if noise_shape is None:
        return sizes
    given = tuple(noise_shape)
    if len(given) <= len(sizes):  # a shorter one broadcasts
        given = (1,) * (len(sizes) - len(given)) + given
        shape = tuple(n if d is None else int(d) for d, n in zip(given, sizes, strict=True))
        if all(d in (1, n) for d, n in zip(shape, sizes, strict=True)):
            return shape
    raise ValueError(
        f"{where} expected noise_shape to have 1, None or the size of the input on each axis; got "
        f"noise_shape={noise_shape!r} for an input of shape {sizes}."
    )


class _SpatialDropout(Dropout):
    """Dropout of whole feature maps: one choice for all positions of a channel."""

    _rank: ClassVar[int]

    def __init__(self, rate: float, data_format: str | None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        if data_format is not None and data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                f'`data_format` must be "channels_last" or "channels_first". Received: data_format={data_format}.'
            )
        self.data_format = read_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank)

    def _get_noise_shape(self, inputs: Any) -> tuple[int, ...]:
        sizes = tuple(inputs.shape)
        ones = (1,) * (self._rank - 2)
        return (
            (sizes[0], sizes[1], *ones)
            if self.data_format == "channels_first"
            else (sizes[0], *ones, sizes[-1])
        )

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format}


class SpatialDropout1D(_SpatialDropout):
    """Drops whole channels of sequences, (batch, steps, channels)."""

    _knows_output_shape: ClassVar[bool] = True
    _rank = 3

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(rate, "channels_last", **kwargs)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["data_format"]
        return config


class SpatialDropout2D(_SpatialDropout):
    """Drops whole channels of images."""

    _knows_output_shape: ClassVar[bool] = True
    _rank = 4

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(rate, data_format, **kwargs)


class SpatialDropout3D(_SpatialDropout):
    """Drops whole channels of volumes."""

    _knows_output_shape: ClassVar[bool] = True
    _rank = 5

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(rate, data_format, **kwargs)
