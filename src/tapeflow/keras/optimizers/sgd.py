"""Gradient descent, with momentum if wanted."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options


class SGD(FusedOptimizer):
    """Gradient descent, with momentum if you like: `w -= learning_rate * g`.

    Args:
        learning_rate: a number, a schedule or a function.
        momentum: how much of the last step is taken again; between 0 and 1.
        nesterov: look one step of momentum ahead.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "sgd"
    _slot_names = ("momentum",)

    def __init__(
        self,
        learning_rate: RateLike = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        *,
        name: str = "SGD",
        **options: Unpack[Options],
    ) -> None:
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError(f"`momentum` must be between [0, 1]. Received: momentum={momentum}")
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.momentum = momentum
        self.nesterov = nesterov
        self.momentums: list[Variable] = []

    def _make_slots(self, var_list: list[Variable]) -> None:
        if self.momentum:
            self.momentums = self.add_optimizer_variables(var_list, "m")

    def _slots(self) -> list[list[Variable]]:
        if self.momentum and not self.momentums:  # set after the optimizer was built
            self._make_slots(self._trainable_variables)
        return [self.momentums] if self.momentums else []

    def _statics(self) -> dict[str, Any]:
        return {"momentum": self.momentum, "nesterov": self.nesterov}
