"""Adamax: Adam with the largest gradient in place of the mean square."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options


class Adamax(FusedOptimizer):
    """Adamax: Adam that divides by the largest recent gradient.

    Args:
        learning_rate: a number, a schedule or a function.
        beta_1: the decay of the mean per step.
        beta_2: how much of the largest gradient stays.
        epsilon: added to the divisor.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "adamax"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        *,
        name: str = "Adamax",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = config.epsilon() if epsilon is None else epsilon

    def _make_slots(self, var_list: list[Variable]) -> None:
        self._m, self._u = self.add_optimizer_variables(var_list, ["m", "u"])

    def _slots(self) -> list[list[Variable]]:
        return [self._m, self._u]

    def _statics(self) -> dict[str, Any]:
        return {"beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
