"""Layers that add noise in training: `GaussianNoise`, `GaussianDropout`, `AlphaDropout`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tapeflow.engine.values.annotations import ShapeLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.layers.stochastic.dropout import RandomLayer, read_noise_shape
from tapeflow.ops.random.noise import alpha_dropout_op, gaussian_dropout_op, gaussian_noise_op


class GaussianNoise(RandomLayer):
    """In training, add normal random numbers to the inputs.

    Args:
        stddev: their standard deviation.
        seed: an integer to draw the same numbers in every run.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.stddev = stddev

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        if not training or self.stddev == 0:
            return inputs
        return gaussian_noise_op(inputs, self.seed_generator.next_key(), stddev=float(self.stddev))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "stddev": self.stddev, "seed": self.seed}


class GaussianDropout(RandomLayer):
    """In training, multiply the inputs by normal random numbers with mean 1 and dropout's variance.

    Args:
        rate: the rate of the dropout that it stands for, below 1.
        seed: an integer to draw the same numbers in every run.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate = rate

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        if not training or not 0 < self.rate < 1:
            return inputs
        stddev = math.sqrt(self.rate / (1 - self.rate))
        return gaussian_dropout_op(inputs, self.seed_generator.next_key(), stddev=stddev)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


class AlphaDropout(RandomLayer):
    """Dropout for `selu` networks, which keeps mean and variance.

    Args:
        rate: the share to drop, below 1.
        noise_shape: the shape of the random choice; the inputs' unless given.
        seed: an integer to draw the same choices in every run.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self, rate: float, noise_shape: ShapeLike | None = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        if not training or not 0 < self.rate < 1:
            return inputs
        shape = read_noise_shape("AlphaDropout", self.noise_shape, inputs.spec.shape)
        return alpha_dropout_op(
            inputs, self.seed_generator.next_key(), rate=float(self.rate), noise_shape=shape
        )

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "rate": self.rate, "seed": self.seed}
        return {**config, "noise_shape": self.noise_shape} if self.noise_shape else config
