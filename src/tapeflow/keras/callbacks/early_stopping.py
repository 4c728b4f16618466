"""`EarlyStopping`: stop when a quantity no longer improves."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.callbacks.monitor import Direction, comparison, direction, missing, worst
from tapeflow.keras.utils.messages import say

_REMEMBERED = ("wait", "stopped_epoch", "best", "best_epoch", "best_weights")


class EarlyStopping(Callback):
    """Stops training when the monitored quantity has not improved for `patience` epochs.

    Args:
        monitor: the name of the quantity in the logs.
        min_delta: the least change that counts as an improvement.
        patience: the number of epochs to wait without improvement.
        verbose: 1 to print what it does.
        mode: `min`, `max`, or `auto`: `max` for names that end in `acc`, `accuracy` or `auc`.
        baseline: a value that must be beaten within `patience` epochs.
        restore_best_weights: whether the model ends with the weights of its best epoch.
        start_from_epoch: how many first epochs do not count.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__()
        self.monitor = monitor
        self.patience = patience
        self.verbose = verbose
        self.mode: Direction = direction(
            "EarlyStopping", mode, monitor, monitor.endswith(("acc", "accuracy", "auc"))
        )
        self.monitor_op = comparison(self.mode)
        # Signed, as in Keras: subclasses compare `monitor_op(value - min_delta, best)`.
        self.min_delta = abs(min_delta) if self.mode == "max" else -abs(min_delta)
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.start_from_epoch = start_from_epoch
        self._restart()

    def _restart(self) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.best = worst(self.mode)
        self.best_epoch = 0
        self.best_weights: list[Any] | None = None

    def get_training_state(self) -> Any:
        """How long it has waited, and the best so far."""
        return {name: getattr(self, name) for name in _REMEMBERED}

    def set_training_state(self, state: Any) -> None:
        """Go on waiting."""
        for name in _REMEMBERED:
            setattr(self, name, state[name])

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._restart()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        current = self.get_monitor_value(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self._keep_weights(epoch)  # the first counted epoch's, in case no other is better
        self.wait += 1
        if self._is_improvement(current, self.best):
            self.best = current
            self.best_epoch = epoch
            if self.restore_best_weights:
                self._keep_weights(epoch)
            if self.baseline is None or self._is_improvement(current, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            say(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                say(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs: dict[str, Any] | None) -> Any:
        """The monitored value, or `None` with a warning."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            missing("Early stopping", self.monitor, logs)
        return value

    def _keep_weights(self, epoch: int) -> None:
        self.best_weights = self.model.get_weights()
        self.best_epoch = epoch

    def _is_improvement(self, value: Any, reference: TensorLike) -> bool:
        return bool(self.monitor_op(value - self.min_delta, reference))
