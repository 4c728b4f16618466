"""`History`: what `fit` returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.callbacks.logs import plain_value


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

    def get_training_state(self) -> Any:
        """The values so far."""
        return {"epoch": list(self.epoch), "history": {k: list(v) for k, v in self.history.items()}}

    def set_training_state(self, state: Any) -> None:
        """Go on after these values."""
        self.epoch, self.history = list(state["epoch"]), dict(state["history"])

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            is_numpy = isinstance(value, (np.ndarray, np.generic))  # as Keras keeps the `lr` of schedulers
            # A callback may have put a Variable there.
            self.history.setdefault(name, []).append(value if is_numpy else plain_value(value))
        if self.model is not None:
            self.model.history = self
