"""`hp.KerasCallback`: the hyperparameters of a `fit`, for the board."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import tapeflow as tf
from tapeflow.keras.callbacks.callback import Callback
from tapeflow.summary import hyperparameters
from tapeflow.summary.writer import SummaryWriter

_SUCCESS = 1


class HParamsCallback(Callback):
    """Writes the hyperparameters when `fit` begins, and that it succeeded when it ends. It serves one `fit`.

    It is imported as `KerasCallback` from `tapeflow.plugins.hparams.api`.

    Args:
        writer: a summary writer, or a folder to make one in.
        hparams: values (bool, int, float, str) by name, or by `HParam`.
        trial_id: which trial it is; by default runs with equal values are the same one.

    >>> from tapeflow.plugins.hparams import api as hp
    >>> callbacks = [tf.keras.callbacks.TensorBoard("logs/1"), hp.KerasCallback("logs/1", {"units": 64})]
    >>> history = model.fit(x, y, callbacks=callbacks, verbose=0)
    """

    def __init__(self, writer: Any, hparams: Mapping[Any, Any], trial_id: str | None = None) -> None:
        super().__init__()
        self._hparams = dict(hparams)
        self._trial_id = trial_id
        hyperparameters.hparams_pb(self._hparams, trial_id)  # what is wrong with them is said now
        if isinstance(writer, (str, os.PathLike)):
            self._writer: SummaryWriter | None = tf.summary.create_file_writer(writer)
        elif isinstance(writer, SummaryWriter):
            self._writer = writer
        else:
            raise TypeError(
                "KerasCallback expected a summary writer or a folder: writer must be a `SummaryWriter` or `str`, "
                f"not {writer!r}."
            )

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._write(hyperparameters.hparams_pb(self._hparams, self._trial_id))

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._write(hyperparameters.session_end_pb(_SUCCESS)).flush()
        self._writer = None

    def _write(self, summary: Any) -> SummaryWriter:
        if self._writer is None:
            raise RuntimeError(
                "KerasCallback expected to be used once; got a second fit: an hparams Keras callback cannot be "
                "reused across training sessions. Make a new one."
            )
        with self._writer.as_default(), tf.summary.record_if(True):
            hyperparameters.write_summary(summary)
        return self._writer
