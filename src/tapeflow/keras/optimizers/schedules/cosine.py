"""Schedules along half a cosine: once, after a warm-up, or again and again."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule, as_rate
from tapeflow.ops.training import optimizer_schedules as kernels


class CosineDecay(LearningRateSchedule):
    """Cosine decay, with an optional linear warm-up.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: how long the cosine takes, not counting the warm-up.
        alpha: the last rate, as a share of the highest.
        name: ignored.
        warmup_target: the rate that the warm-up ends at; without one there is none.
        warmup_steps: how long it takes.
    """

    def __init__(
        self,
        initial_learning_rate: RateLike,
        decay_steps: float,
        alpha: float = 0.0,
        name: str | None = None,
        warmup_target: float | None = None,
        warmup_steps: Any = 0,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name
        self.warmup_target = warmup_target
        self.warmup_steps = warmup_steps

    def __call__(self, step: TensorLike) -> Tensor:
        rate = as_rate(self.initial_learning_rate)
        if self.warmup_target is None:
            return kernels.cosine_decay(rate, step, self.decay_steps, self.alpha)
        return kernels.warmup_cosine_decay(
            rate, step, self.decay_steps, self.alpha, self.warmup_target, self.warmup_steps
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "alpha": self.alpha,
            "name": self.name,
            "warmup_target": self.warmup_target,
            "warmup_steps": self.warmup_steps,
        }


class CosineDecayRestarts(LearningRateSchedule):
    """Cosine decay with warm restarts.

    Args:
        initial_learning_rate: the rate at step 0.
        first_decay_steps: how long the first cosine takes.
        t_mul: how many times as long each further one takes.
        m_mul: how many times as high each further one starts.
        alpha: the lowest rate, as a share of the first.
        name: ignored.
    """

    def __init__(
        self,
        initial_learning_rate: RateLike,
        first_decay_steps: float,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self._t_mul = t_mul
        self._m_mul = m_mul
        self.alpha = alpha
        self.name = name

    def __call__(self, step: TensorLike) -> Tensor:
        return kernels.cosine_decay_restarts(
            as_rate(self.initial_learning_rate),
            step,
            self.first_decay_steps,
            self._t_mul,
            self._m_mul,
            self.alpha,
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "first_decay_steps": self.first_decay_steps,
            "t_mul": self._t_mul,
            "m_mul": self._m_mul,
            "alpha": self.alpha,
            "name": self.name,
        }
