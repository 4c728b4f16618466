"""Adadelta."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options


class Adadelta(FusedOptimizer):
    """Adadelta: step sizes adapt to the ratio of past steps and past gradients.

    Args:
        learning_rate: a number, a schedule or a function; 1.0 is the paper's.
        rho: how much of the mean squares stays at each step.
        epsilon: added to the mean squares, under the roots.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "adadelta"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        rho: float = 0.95,
        epsilon: float | None = 1e-7,
        *,
        name: str = "Adadelta",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.rho = rho
        self.epsilon = config.epsilon() if epsilon is None else epsilon

    def _make_slots(self, var_list: list[Variable]) -> None:
        names = ["accumulated_grad", "accumulated_delta_var"]
        self._accumulated_grads, self._accumulated_delta_vars = self.add_optimizer_variables(var_list, names)

    def _slots(self) -> list[list[Variable]]:
        return [self._accumulated_grads, self._accumulated_delta_vars]

    def _statics(self) -> dict[str, Any]:
        return {"rho": self.rho, "epsilon": self.epsilon}
