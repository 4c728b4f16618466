"""`tf.keras.optimizers.legacy`: the names of old, and the base class for optimizers written in the old way.

The optimizers are the same as outside, which take `lr` and `decay`, but for two that computed otherwise.
`Optimizer` is for a user's own class from before Keras 2.11, with `_create_slots` and `_resource_apply_dense`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.variable import Variable
from tapeflow.keras.optimizers.adadelta import Adadelta as Adadelta
from tapeflow.keras.optimizers.adagrad import Adagrad as Adagrad
from tapeflow.keras.optimizers.adam import Adam as Adam
from tapeflow.keras.optimizers.adamax import Adamax as Adamax
from tapeflow.keras.optimizers.ftrl import Ftrl as Ftrl
from tapeflow.keras.optimizers.nadam import Nadam as _Nadam
from tapeflow.keras.optimizers.optimizer import Optimizer as _Optimizer
from tapeflow.keras.optimizers.rmsprop import RMSprop as _RMSprop
from tapeflow.keras.optimizers.sgd import SGD as SGD


class RMSprop(_RMSprop):
    """`tf.keras.optimizers.RMSprop` as it was: without momentum, epsilon is added to the root."""

    def _statics(self) -> dict[str, Any]:
        return {**super()._statics(), "adds_to_root": not self.momentum}


class Nadam(_Nadam):
    """`tf.keras.optimizers.Nadam` as it was: its momentum rises 250 times slower."""

    def _statics(self) -> dict[str, Any]:
        return {**super()._statics(), "pace": 0.004}


class Optimizer(_Optimizer):
    """The base of optimizers with slots and hyperparameters looked up by name.

    A subclass calls `_set_hyper` in its constructor, `add_slot` in `_create_slots`, and `get_slot`,
    `_get_hyper` and `_decayed_lr` in `_resource_apply_dense`.
    """

    def __init__(self, name: str, gradient_aggregator: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self._hyper: dict[str, Any] = {}
        self._slots: dict[tuple[int, str], Variable] = {}

    def _set_hyper(self, name: str, value: Any) -> None:
        if name == "learning_rate":
            if self._learning_rate is None:
                self._learning_rate = self._build_learning_rate(value)
            else:
                self.learning_rate = value
        elif name == "decay":
            self._decay = float(value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: Any = None) -> Any:
        value = self.learning_rate if name == "learning_rate" else self._hyper[name]
        return value if dtype is None else tf.cast(value, dtype)

    def _decayed_lr(self, var_dtype: Any) -> Any:
        """The learning rate of this step, after decay."""
        return tf.cast(self._rate_now(), var_dtype)

    def add_slot(
        self, var: Variable, slot_name: str, initializer: Any = "zeros", shape: Any = None
    ) -> Variable:
        """Make a variable that belongs to another; the same one if there is one of this name already."""
        key = (self._var_key(var), slot_name)
        if key not in self._slots:
            if callable(initializer) or isinstance(initializer, str):
                made = self.add_variable_from_reference(var, slot_name, shape, initializer=initializer)
            else:
                made = self.add_variable_from_reference(var, slot_name, shape, initial_value=initializer)
            self._slots[key] = made
        return self._slots[key]

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """The variable that `add_slot` made."""
        return self._slots[self._var_key(var), slot_name]

    def get_slot_names(self) -> list[str]:
        """The names of slots, in the order they were first made."""
        return list(dict.fromkeys(name for _, name in self._slots))

    def build(self, var_list: Sequence[Variable]) -> None:
        """Make the slots."""
        if not self.built:
            super().build(var_list)
            self._create_slots(list(var_list))

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Overridden to call `add_slot` for each variable."""

    def _resource_apply_dense(self, grad: Any, var: Variable, apply_state: Any = None) -> Any:
        """Overridden to move one variable."""
        raise NotImplementedError(
            f"{type(self).__name__} expected its class to override `_resource_apply_dense(self, grad, var)`."
        )

    def update_step(self, gradient: Any, variable: Variable, *rate: Any) -> Any:
        """Move one variable, in the old way."""
        return self._resource_apply_dense(gradient, variable)
