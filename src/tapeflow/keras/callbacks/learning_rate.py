"""Callbacks that set the learning rate: by epoch, or when a quantity stops improving."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.callbacks.monitor import Direction, direction, missing, worst
from tapeflow.keras.utils.messages import say

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model


def current_rate(model: Model) -> Any:
    """The learning rate the optimizer works with, as a numpy scalar."""
    return np.asarray(model.optimizer.learning_rate)[()]


class LearningRateScheduler(Callback):
    """Sets the learning rate at the start of every epoch, and logs it as `lr`.

    Args:
        schedule: a function of the epoch (from 0) and the current rate, or of the epoch alone, that returns
            a float.
        verbose: 1 to print what it does.
    """

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if _takes_rate(self.schedule):
            rate = self.schedule(epoch, float(current_rate(self.model)))
        else:
            rate = self.schedule(epoch)
        if isinstance(rate, Tensor) and not rate.dtype.is_floating:
            raise ValueError(f"The dtype of `lr` Tensor should be float. Got: {rate.dtype}")
        if not isinstance(rate, Tensor | float | np.floating):
            raise ValueError(f'The output of the "schedule" function should be float. Got: {rate}')
        self.model.optimizer.learning_rate = float(rate)
        if self.verbose > 0:
            say(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}.")

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if logs is not None:
            logs["lr"] = current_rate(self.model)


def _takes_rate(schedule: Callable[..., Any]) -> bool:
    """Whether a schedule takes the current rate, too; decided by its signature, not by trying it."""
    try:
        inspect.signature(schedule).bind(0, 0.0)
    except TypeError:
        return False
    except ValueError:  # a builtin that does not tell its signature
        return True
    return True


class ReduceLROnPlateau(Callback):
    """Lowers the learning rate when the monitored quantity has not improved for `patience` epochs.

    It logs the rate as `lr`.

    Args:
        monitor: the name of the quantity in the logs.
        factor: what to multiply the rate by, less than 1.
        patience: the number of epochs to wait without improvement.
        verbose: 1 to print what it does.
        mode: `min`, `max`, or `auto`: `max` for names that contain `acc`.
        min_delta: the least change that counts as an improvement.
        cooldown: how many epochs to wait after a change before counting again.
        min_lr: the rate not to go below.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}")
        min_delta = kwargs.pop("epsilon", min_delta)  # its name in old Keras
        if kwargs:
            raise TypeError(f"ReduceLROnPlateau expected no argument {', '.join(map(repr, kwargs))}.")
        self.monitor = monitor
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.mode: Direction = direction("Learning rate reduction", mode, monitor, "acc" in monitor)
        self.min_delta = min_delta
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._reset()

    def _reset(self) -> None:
        self.best = worst(self.mode)
        self.wait = 0
        self.cooldown_counter = 0

    def get_training_state(self) -> Any:
        """How long it has waited, and the best so far."""
        return {"best": self.best, "wait": self.wait, "cooldown_counter": self.cooldown_counter}

    def set_training_state(self, state: Any) -> None:
        """Go on waiting."""
        self.best, self.wait, self.cooldown_counter = state["best"], state["wait"], state["cooldown_counter"]

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._reset()

    def monitor_op(self, value: Any, reference: Any) -> bool:
        """Whether `value` is better than `reference` by more than `min_delta`."""
        if self.mode == "min":
            return bool(value < reference - self.min_delta)
        return bool(value > reference + self.min_delta)

    def in_cooldown(self) -> bool:
        """Whether a change is so recent that nothing is counted yet."""
        return self.cooldown_counter > 0

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        logs = {} if logs is None else logs
        logs["lr"] = current_rate(self.model)
        current = logs.get(self.monitor)
        if current is None:
            missing("Learning rate reduction is", self.monitor, logs)
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._lower(epoch)

    def _lower(self, epoch: int) -> None:
        old = current_rate(self.model)
        if old <= np.float32(self.min_lr):
            return
        new = max(float(old) * self.factor, self.min_lr)
        self.model.optimizer.learning_rate = new
        if self.verbose > 0:
            say(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
        self.cooldown_counter = self.cooldown
        self.wait = 0
