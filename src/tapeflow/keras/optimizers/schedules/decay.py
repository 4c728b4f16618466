"""Schedules that only fall: exponential, inverse in time, polynomial."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule, as_rate
from tapeflow.ops.training import optimizer_schedules as kernels


class ExponentialDecay(LearningRateSchedule):
    """`initial_learning_rate * decay_rate ** (step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: after so many steps the rate has been multiplied by `decay_rate` once.
        decay_rate: the factor.
        staircase: only at whole multiples of `decay_steps`.
        name: ignored.

    >>> float(tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)(20))
    0.25
    """

    def __init__(
        self,
        initial_learning_rate: RateLike,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: TensorLike) -> Tensor:
        return kernels.exponential_decay(
            as_rate(self.initial_learning_rate),
            step,
            self.decay_steps,
            self.decay_rate,
            staircase=bool(self.staircase),
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


class InverseTimeDecay(ExponentialDecay):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: how often to decay.
        decay_rate: how fast.
        staircase: only at whole multiples of `decay_steps`.
        name: ignored.
    """

    def __call__(self, step: TensorLike) -> Tensor:
        return kernels.inverse_time_decay(
            as_rate(self.initial_learning_rate),
            step,
            self.decay_steps,
            self.decay_rate,
            staircase=bool(self.staircase),
        )


class PolynomialDecay(LearningRateSchedule):
    """Polynomial decay from one rate to another.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: how long it takes.
        end_learning_rate: the rate at the end, which stays.
        power: of the polynomial; 1 is a straight line.
        cycle: start again, over twice, three times the steps, when the end is passed.
        name: ignored.
    """

    def __init__(
        self,
        initial_learning_rate: RateLike,
        decay_steps: float,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: TensorLike) -> Tensor:
        return kernels.polynomial_decay(
            as_rate(self.initial_learning_rate),
            step,
            self.decay_steps,
            self.end_learning_rate,
            self.power,
            cycle=bool(self.cycle),
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "end_learning_rate": self.end_learning_rate,
            "power": self.power,
            "cycle": self.cycle,
            "name": self.name,
        }
