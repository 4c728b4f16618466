"""Adafactor: second moments of a matrix kept as one row and one column."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule


class Adafactor(FusedOptimizer):
    """Adafactor: adaptive steps relative to the variable's size, with less memory than Adam.

    Args:
        learning_rate: a number, a schedule or a function.
        beta_2_decay: the mean square keeps `1 - step ** beta_2_decay` at each step.
        epsilon_1: added to squared gradients.
        epsilon_2: the least size a variable is taken to have.
        clip_threshold: the largest root mean square of an update.
        relative_step: a constant rate is not above `1 / sqrt(step)`.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "adafactor"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        *,
        name: str = "Adafactor",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.beta_2_decay = beta_2_decay
        self.epsilon_1 = epsilon_1
        self.epsilon_2 = epsilon_2
        self.clip_threshold = clip_threshold
        self.relative_step = relative_step

    def _make_slots(self, var_list: list[Variable]) -> None:
        self._factors: list[list[Variable]] = []
        for variable in var_list:
            shape, dtype = variable._spec.shape, variable._spec.np_dtype
            slots = []
            if len(shape) >= 2:
                for name, dims in (("r", shape[:-1]), ("c", (*shape[:-2], shape[-1]))):
                    zeros = np.zeros(dims, dtype)
                    slots.append(self.add_variable_from_reference(variable, name, initial_value=zeros))
            slots.append(self.add_variable_from_reference(variable, "v"))
            self._factors.append(slots)

    def _slots_of(self, index: int) -> list[Variable]:
        return self._factors[index]

    def _statics(self) -> dict[str, Any]:
        is_constant = not isinstance(self._learning_rate, LearningRateSchedule)
        return {**self._own_config(), "relative_step": self.relative_step and is_constant}

    def _own_config(self) -> dict[str, Any]:
        return {
            "beta_2_decay": self.beta_2_decay,
            "epsilon_1": self.epsilon_1,
            "epsilon_2": self.epsilon_2,
            "clip_threshold": self.clip_threshold,
            "relative_step": self.relative_step,
        }
