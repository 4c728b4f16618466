"""Adam, and AdamW, which is Adam with weight decay."""

from __future__ import annotations

from typing import Any, Unpack

from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.fused import FusedOptimizer
from tapeflow.keras.optimizers.optimizer import Options


class Adam(FusedOptimizer):
    """The Adam optimizer: steps along the mean gradient, divided by the root of the mean squared gradient.

    Args:
        learning_rate: a number, a schedule or a function.
        beta_1: the decay of the mean per step.
        beta_2: the decay of the mean square per step.
        epsilon: added to the root; it is the paper's "epsilon hat".
        amsgrad: divide by the root of the largest mean square so far.
        adaptive_epsilon: correct epsilon for bias too, which makes it the paper's epsilon.
        name: its name.
        options: see `Optimizer`.

    >>> optimizer = tf.keras.optimizers.Adam(learning_rate=0.1)
    >>> x = tf.Variable(10.0)
    >>> _ = optimizer.minimize(lambda: x**2 / 2.0, [x])
    >>> round(float(x), 3)
    9.9
    """

    _rule = "adam"
    _slot_names = ("m", "v", "vhat")

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        *,
        adaptive_epsilon: bool = False,
        name: str = "Adam",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name=name, learning_rate=learning_rate, **options)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = config.epsilon() if epsilon is None else epsilon
        self.amsgrad = amsgrad
        self.adaptive_epsilon = adaptive_epsilon

    def _make_slots(self, var_list: list[Variable]) -> None:
        self._momentums, self._velocities = self.add_optimizer_variables(var_list, ["m", "v"])
        self._velocity_hats = self.add_optimizer_variables(var_list, "vhat") if self.amsgrad else []

    def _slots(self) -> list[list[Variable]]:
        return [self._momentums, self._velocities, *([self._velocity_hats] if self.amsgrad else [])]

    def _statics(self) -> dict[str, Any]:
        return {**self._own_config(), "adaptive_epsilon": self.adaptive_epsilon}

    def _own_config(self) -> dict[str, Any]:
        return {
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
            **({"adaptive_epsilon": True} if self.adaptive_epsilon else {}),
        }


class AdamW(Adam):
    """AdamW: Adam with decoupled weight decay.

    Args:
        learning_rate: a number, a schedule or a function.
        weight_decay: this share of a variable, times the learning rate, is taken off at each step.
        beta_1: how much of the mean gradient stays at each step.
        beta_2: how much of the mean squared gradient stays.
        epsilon: added to the root.
        amsgrad: divide by the root of the largest mean square so far.
        name: its name.
        options: see `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: RateLike = 0.001,
        weight_decay: float | None = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        *,
        name: str = "AdamW",
        **options: Any,
    ) -> None:
        if weight_decay is None:
            raise ValueError(
                "Missing value of `weight_decay` which is required and must be a float value. Use Adam for "
                "none."
            )
        super().__init__(
            learning_rate, beta_1, beta_2, epsilon, amsgrad, name=name, weight_decay=weight_decay, **options
        )
