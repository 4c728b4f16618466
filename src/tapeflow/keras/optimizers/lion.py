"""Lion: steps of one size, in the direction of the sign."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options


class Lion(FusedOptimizer):
    """Lion: steps by the sign of an average of momentum and gradient.

    Args:
        learning_rate: a number, a schedule or a function; a tenth of Adam's serves.
        beta_1: the weight of the momentum in the sign; above 0, at most 1.
        beta_2: how much of the momentum stays at each step.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "lion"

    def __init__(
        self,
        learning_rate: RateLike = 0.0001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
        *,
        name: str = "Lion",
        **options: Unpack[Options],
    ) -> None:
        if not 0 < beta_1 <= 1:
            raise ValueError(
                f"`beta_1`={beta_1} must be between ]0, 1]. Otherwise, the optimizer degenerates to SignSGD."
            )
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.beta_1 = beta_1
        self.beta_2 = beta_2

    def _make_slots(self, var_list: list[Variable]) -> None:
        self.momentums = self.add_optimizer_variables(var_list, "m")

    def _slots(self) -> list[list[Variable]]:
        return [self.momentums]

    def _statics(self) -> dict[str, Any]:
        return {"beta_1": self.beta_1, "beta_2": self.beta_2}
