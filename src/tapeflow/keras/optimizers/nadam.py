"""Nadam: Adam with Nesterov's momentum."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options


class Nadam(FusedOptimizer):
    """Nadam: Adam with Nesterov momentum, which rises from beta_1 / 2 to beta_1.

    Args:
        learning_rate: a number, a schedule or a function.
        beta_1: how much of the mean stays at each step, in the end.
        beta_2: the decay of the mean square per step.
        epsilon: added to the root.
        name: its name.
        options: see `Optimizer`.
    """

    _rule = "nadam"

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        *,
        name: str = "Nadam",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = config.epsilon() if epsilon is None else epsilon

    def _make_slots(self, var_list: list[Variable]) -> None:
        self._momentums, self._velocities = self.add_optimizer_variables(var_list, ["m", "v"])
        # Last, so that lists of weights from Keras 2, which leaves it out, still fit.
        self._u_product = self._added(1.0, "u_product", var_list[0].dtype)

    def restore_product(self) -> None:
        """Compute what Keras 2 leaves out of its files, from the number of steps."""
        steps = np.arange(1, int(self._iterations) + 1)
        pace = self._statics().get("pace", 1.0)
        self._u_product.assign(np.prod(self.beta_1 * (1 - 0.5 * 0.96 ** (pace * steps))))

    def _slots(self) -> list[list[Variable]]:
        return [self._momentums, self._velocities]

    def _shared(self) -> list[Variable]:
        return [self._u_product]

    def _statics(self) -> dict[str, Any]:
        return {"beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
