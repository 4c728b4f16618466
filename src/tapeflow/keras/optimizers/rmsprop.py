"""RMSprop."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer


class RMSprop(FusedOptimizer):
    """RMSprop: divides the gradient by the root of its mean square.

    Args:
        learning_rate: a number, a schedule or a function.
        rho: how much of the mean square stays at each step.
        momentum: how much of the last step is taken again.
        epsilon: added to the mean square, under the root.
        centered: take the square of the mean off the mean square: divide by the standard deviation.
        ema_overwrite_frequency: see `Optimizer`; 100 here, as in Keras.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "rmsprop"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float | None = 1e-7,
        centered: bool = False,
        *,
        ema_overwrite_frequency: int | None = 100,
        name: str = "RMSprop",
        **options: Any,
    ) -> None:
        super().__init__(
            name=name,
            learning_rate=learning_rate,
            ema_overwrite_frequency=ema_overwrite_frequency,
            **options,
        )
        self.rho = rho
        self.momentum = momentum
        self.epsilon = config.epsilon() if epsilon is None else epsilon
        self.centered = centered

    def _make_slots(self, var_list: list[Variable]) -> None:
        self._velocities = self.add_optimizer_variables(var_list, "velocity")
        self._momentums = self.add_optimizer_variables(var_list, "momentum") if self.momentum > 0 else []
        self._average_gradients = (
            self.add_optimizer_variables(var_list, "average_gradient") if self.centered else []
        )

    def _slots(self) -> list[list[Variable]]:
        return [kind for kind in (self._velocities, self._momentums, self._average_gradients) if kind]

    def _statics(self) -> dict[str, Any]:
        return {
            "rho": self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
