"""`Report`: the Keras callback that tells a search how a trial gets on."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.callbacks import Callback
from tapeflow.tune.trial import Trial


class Report(Callback):
    """Reports the metric after every epoch, and ends the trial if the pruner says so.

    Args:
        trial: what the function that trains was given.
        monitor: which of the logs; the search's metric unless given.

    >>> from tapeflow import tune
    >>> def train(trial):
    ...     callbacks = [tune.Report(trial), tf.keras.callbacks.TensorBoard(trial.logdir)]
    ...     return model.fit(x, y, epochs=10, validation_split=0.2, callbacks=callbacks, verbose=0)
    """

    def __init__(self, trial: Trial, monitor: str | None = None) -> None:
        super().__init__()
        if not isinstance(trial, Trial):
            raise TypeError(
                f"tune.Report expected the trial that tune.search gave; got trial={trial!r} of type "
                f"{type(trial).__name__}."
            )
        self._trial = trial
        self._monitor = trial.metric if monitor is None else monitor

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if self._monitor not in (logs or {}):
            raise KeyError(
                f"tune.Report expected {self._monitor!r} among the logs; got {', '.join(logs or {}) or 'none'}. Give "
                "tune.search(metric=...) one of them, or fit the data that it is measured on."
            )
        self._trial.report((logs or {})[self._monitor], epoch)
