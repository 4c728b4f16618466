"""`History`: what `fit` returns."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.callbacks.callback import Callback


class History(Callback):
    """Keeps the logs of every epoch; every `fit` has one and returns it.

    Attributes:
        history: a list of values, one an epoch, for every name in the logs.
        epoch: the numbers of the epochs of the last `fit`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        if self.model is not None:
            self.model.history = self
