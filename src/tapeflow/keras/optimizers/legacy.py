"""`tf.keras.optimizers.legacy`: the optimizers from before Keras 2.11, and the base class of those written for it.

They compute as those outside, which take `lr` and `decay`, too, but for two. Their configs say `decay`, and nothing of
what came later. `Optimizer` is for a user's own class from before Keras 2.11, with `_create_slots` and
`_resource_apply_dense`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.keras.optimizers.adadelta import Adadelta as _Adadelta
from tapeflow.keras.optimizers.adagrad import Adagrad as _Adagrad
from tapeflow.keras.optimizers.adam import Adam as _Adam
from tapeflow.keras.optimizers.adamax import Adamax as _Adamax
from tapeflow.keras.optimizers.ftrl import Ftrl as _Ftrl
from tapeflow.keras.optimizers.gradients import Pair
from tapeflow.keras.optimizers.nadam import Nadam as _Nadam
from tapeflow.keras.optimizers.optimizer import Optimizer as _Optimizer
from tapeflow.keras.optimizers.rmsprop import RMSprop as _RMSprop
from tapeflow.keras.optimizers.sgd import SGD as _SGD


class Optimizer(_Optimizer):
    """The base of optimizers with slots and hyperparameters looked up by name.

    A subclass calls `_set_hyper` in its constructor, `add_slot` in `_create_slots`, and `get_slot`,
    `_get_hyper` and `_decayed_lr` in `_resource_apply_dense`.
    """

    def __init__(self, name: str, gradient_aggregator: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments; a subclass adds its own."""
        clips = {name: vars(self)[name] for name in ("clipnorm", "clipvalue", "global_clipnorm")}
        return {"name": self.name, **{name: value for name, value in clips.items() if value is not None}}

    def _set_hyper(self, name: str, value: Any) -> None:
        # There it is no option of every optimizer, so a class may have one of its own.
        if name == "weight_decay" and name not in self._hyper:
            self._hyper[name] = value
        else:
            super()._set_hyper(name, value)

    def minimize(
        self,
        loss: Any,
        var_list: Any,
        tape: tf.GradientTape | None = None,
        grad_loss: Any = None,
        name: str | None = None,
    ) -> Any:
        """Compute gradients of the loss, which a subclass may do in its own way, and apply them."""
        pairs = self._compute_gradients(loss, var_list=var_list, grad_loss=grad_loss, tape=tape)
        named: dict[str, Any] = {} if name is None else {"name": name}
        return self.apply_gradients(pairs, **named)

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: Any = None, tape: tf.GradientTape | None = None
    ) -> list[Pair]:
        """`compute_gradients`, by the name that wrappers of optimizers override and call."""
        return self.compute_gradients(loss, var_list, tape, grad_loss)

    def get_gradients(self, loss: Any, params: Sequence[Any]) -> list[Any]:
        """The gradients of a loss inside a `tf.function`."""
        return tf.gradients(loss, list(params))


class _Own(Optimizer):
    """What Keras's own optimizers say in their configs beside that."""

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "decay": self._decay}


class Adadelta(_Adadelta, _Own):
    """`tf.keras.optimizers.Adadelta` as it was."""


class Adagrad(_Adagrad, _Own):
    """`tf.keras.optimizers.Adagrad` as it was."""


class Adam(_Adam, _Own):
    """`tf.keras.optimizers.Adam` as it was."""


class Adamax(_Adamax, _Own):
    """`tf.keras.optimizers.Adamax` as it was."""


class Ftrl(_Ftrl, _Own):
    """`tf.keras.optimizers.Ftrl` as it was."""


class SGD(_SGD, _Own):
    """`tf.keras.optimizers.SGD` as it was."""


class RMSprop(_RMSprop, _Own):
    """`tf.keras.optimizers.RMSprop` as it was: without momentum, epsilon is added to the root."""

    def _statics(self) -> dict[str, Any]:
        return {**super()._statics(), "adds_to_root": not self.momentum}


class Nadam(_Nadam, _Own):
    """`tf.keras.optimizers.Nadam` as it was: its momentum rises 250 times slower."""

    def _statics(self) -> dict[str, Any]:
        return {**super()._statics(), "pace": 0.004}
