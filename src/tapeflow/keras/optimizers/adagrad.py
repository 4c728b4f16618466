"""Adagrad."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options
from tapeflow.keras.optimizers.state import filled_like


class Adagrad(FusedOptimizer):
    """Adagrad: divides the gradient by the root of the sum of its squares so far.

    Args:
        learning_rate: a number, a schedule or a function.
        initial_accumulator_value: what the sum starts from.
        epsilon: added to the sum, under the root.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "adagrad"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-7,
        *,
        name: str = "Adagrad",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = config.epsilon() if epsilon is None else epsilon

    def _make_slots(self, var_list: list[Variable]) -> None:
        start = self.initial_accumulator_value
        self._accumulators = [
            self.add_variable_from_reference(v, "accumulator", initial_value=filled_like(v, start))
            for v in var_list
        ]

    def _slots(self) -> list[list[Variable]]:
        return [self._accumulators]

    def _statics(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon}

    def _own_config(self) -> dict[str, Any]:
        return {"initial_accumulator_value": self.initial_accumulator_value, "epsilon": self.epsilon}
