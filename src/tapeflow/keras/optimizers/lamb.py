"""Lamb: Adam for large batches."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options


class Lamb(FusedOptimizer):
    """LAMB: Adam's direction, with steps in proportion to the variable's norm.

    Args:
        learning_rate: a number, a schedule or a function.
        beta_1: the decay of the mean per step.
        beta_2: the decay of the mean square per step.
        epsilon: added to the root.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "lamb"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        *,
        name: str = "Lamb",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def _make_slots(self, var_list: list[Variable]) -> None:
        self._momentums, self._velocities = self.add_optimizer_variables(var_list, ["m", "v"])

    def _slots(self) -> list[list[Variable]]:
        return [self._momentums, self._velocities]

    def _statics(self) -> dict[str, Any]:
        return {"beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
