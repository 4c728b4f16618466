"""Follow the regularised leader."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options
from tapeflow.keras.optimizers.state import filled_like


class Ftrl(FusedOptimizer):
    """FTRL-proximal, for large and sparse linear models.

    Args:
        learning_rate: a number, a schedule or a function.
        learning_rate_power: how the rate falls with the sum of squared gradients; at most 0.
        initial_accumulator_value: what that sum starts from; at least 0.
        l1_regularization_strength: makes variables exactly zero.
        l2_regularization_strength: makes them small.
        l2_shrinkage_regularization_strength: makes them small through their gradients.
        beta: the paper's beta.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "ftrl"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        *,
        name: str = "Ftrl",
        **options: Unpack[Options],
    ) -> None:
        if learning_rate_power > 0.0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={learning_rate_power}."
            )
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta
        for name in self._own_config():
            value = getattr(self, name)
            if name not in ("learning_rate_power", "beta") and value < 0.0:
                raise ValueError(f"`{name}` needs to be positive or zero. Received: {name}={value}.")

    def _make_slots(self, var_list: list[Variable]) -> None:
        start = self.initial_accumulator_value
        self._accumulators: list[Variable] = []
        self._linears: list[Variable] = []
        for v in var_list:
            full = filled_like(v, start)
            self._accumulators.append(self.add_variable_from_reference(v, "accumulator", initial_value=full))
            self._linears.append(self.add_variable_from_reference(v, "linear"))

    def _slots(self) -> list[list[Variable]]:
        return [self._accumulators, self._linears]

    def _statics(self) -> dict[str, Any]:
        return {
            "learning_rate_power": self.learning_rate_power,
            "l1": self.l1_regularization_strength,
            "l2": self.l2_regularization_strength,
            "l2_shrinkage": self.l2_shrinkage_regularization_strength,
            "beta": self.beta,
        }

    def _own_config(self) -> dict[str, Any]:
        names = (
            "learning_rate_power",
            "initial_accumulator_value",
            "l1_regularization_strength",
            "l2_regularization_strength",
            "l2_shrinkage_regularization_strength",
            "beta",
        )
        return {name: getattr(self, name) for name in names}
