"""The learning rate of an optimizer: a Variable, a schedule, or a function."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config as keras_config
from tapeflow.keras.annotations import RateLike
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow.keras.optimizers.schedules.schedule import serialize as serialize_schedule


class LearningRate:
    """The part of an optimizer that knows its learning rate."""

    _learning_rate: Any = None
    _current_learning_rate: Variable | None = None
    _decay: float = 0.0
    _iterations: Variable

    def _build_learning_rate(self, learning_rate: Any) -> Any:
        """What is kept in `_learning_rate`: a schedule or a function as it is, a number in a Variable."""
        if isinstance(learning_rate, LearningRateSchedule):
            now = tf.convert_to_tensor(learning_rate(self._iterations))
            self._current_learning_rate = Variable(now, name="current_learning_rate", trainable=False)
            return learning_rate
        if callable(learning_rate) and not isinstance(learning_rate, Variable):
            return learning_rate
        if isinstance(learning_rate, (Variable, tf.Tensor)):
            learning_rate = tf.cast(learning_rate, keras_config.floatx())
        return Variable(learning_rate, name="learning_rate", dtype=keras_config.floatx(), trainable=False)

    @property
    def learning_rate(self) -> Any:
        """The Variable that holds it; with a schedule, the Variable that the last step's rate is put in."""
        rate = self._learning_rate
        if rate is None:
            raise ValueError(
                "Missing learning rate, please set self.learning_rate at optimizer creation time."
            )
        if isinstance(rate, LearningRateSchedule):
            return self._current_learning_rate
        return rate if isinstance(rate, Variable) else rate()

    @learning_rate.setter
    def learning_rate(self, learning_rate: RateLike) -> None:
        known = self._learning_rate
        if known is None or (callable(learning_rate) and not isinstance(learning_rate, Variable)):
            self._learning_rate = self._build_learning_rate(learning_rate)
        elif isinstance(known, LearningRateSchedule):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` "
                "constructor argument, hence its learning rate is not settable. If you need the learning "
                "rate to be settable, you should instantiate the optimizer with a float `learning_rate` "
                "argument."
            )
        elif isinstance(known, Variable):
            if isinstance(learning_rate, (Variable, tf.Tensor)):
                learning_rate = tf.cast(learning_rate, known.dtype)
            known.assign(learning_rate)
        else:
            self._learning_rate = self._build_learning_rate(learning_rate)

    @property
    def lr(self) -> Any:
        """An old name of `learning_rate`."""
        return self.learning_rate

    @lr.setter
    def lr(self, learning_rate: RateLike) -> None:
        self.learning_rate = learning_rate

    def _rate_now(self) -> Any:
        """The rate of the step that is about to be made."""
        if isinstance(self._learning_rate, LearningRateSchedule):
            rate = tf.convert_to_tensor(self._learning_rate(self._iterations))
            if self._current_learning_rate is not None:
                self._current_learning_rate.assign(tf.cast(rate, self._current_learning_rate.dtype))
        else:
            rate = self.learning_rate
        if self._decay:
            rate = rate / (1.0 + self._decay * tf.cast(self._iterations, keras_config.floatx()))
        return rate

    def _serialize_hyperparameter(self, value: object) -> Any:
        """A hyperparameter as a config has it: a number, or the dict of a schedule."""
        if isinstance(value, LearningRateSchedule):
            return serialize_schedule(value)
        if isinstance(value, (Variable, tf.Tensor)):
            return float(value)
        return value() if callable(value) else value
