"""`tf.keras.optimizers.legacy`: older names, and the base class of optimizers written for Keras before 2.11.

The optimizers are the same as outside, which take `lr` and `decay`, but for two that computed otherwise.
`Optimizer` is for a user's own class from before Keras 2.11, with `_create_slots` and `_resource_apply_dense`.
"""

from __future__ import annotations

from typing import Any

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

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments; a subclass adds its own."""
        clips = {name: vars(self)[name] for name in ("clipnorm", "clipvalue", "global_clipnorm")}
        return {"name": self.name, **{name: value for name, value in clips.items() if value is not None}}
