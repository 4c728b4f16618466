"""`hp.KerasCallback`: the hyperparameters of a `fit`, for the board."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tapeflow as tf
from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.callbacks.event_positions import EventPositions
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds import hyperparameters
from tapeflow.summary.writer import SummaryWriter

_SUCCESS = 1


class HParamsCallback(Callback):
    """Writes the hyperparameters when `fit` begins, and that it succeeded when it ends. It serves one `fit`.

    It is imported as `KerasCallback` from `tapeflow.plugins.hparams.api`.

    Args:
        writer: a summary writer, or a folder to make one in.
        hparams: values (bool, int, float, str) by name, or by `HParam`.
        trial_id: the trial; by default, runs with equal values belong to the same trial.

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
            folder = Path(writer).expanduser().absolute()
            self._positions: EventPositions | None = EventPositions([folder])
            self._writer: SummaryWriter | None = FileWriter(
                str(folder), is_held=True, on_new_file=self._positions.note
            )
        elif isinstance(writer, SummaryWriter):
            self._writer, self._positions = writer, None
        else:
            raise TypeError(
                "KerasCallback expected a summary writer or a folder: writer must be a `SummaryWriter` or `str`, "
                f"not {writer!r}."
            )
        self._has_begun = False

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._open_writer()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        # Not before: an interrupted training has written them, and only now it is clear whether this goes on with it.
        run = getattr(self.model, "_run", None)
        if run is None or not run.is_resuming:
            self._begin()

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._begin()
        self._write(hyperparameters.session_end_pb(_SUCCESS)).flush()
        self._writer = None

    def get_training_state(self) -> Any:
        """Whether the hyperparameters are written, and how long the event files are."""
        if self._writer is not None:
            self._writer.flush()
        files = None if self._positions is None else self._positions.state()
        return {"has_begun": self._has_begun, "files": files}

    def set_training_state(self, state: Any) -> None:
        """Write nothing twice."""
        is_whole = self._positions is None or self._positions.restore(state["files"])
        self._has_begun = is_whole and state["has_begun"]

    def _release(self) -> None:
        if self._positions is not None and self._writer is not None:
            self._writer.close()

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._write(hyperparameters.hparams_pb(self._hparams, self._trial_id))

    def _write(self, summary: Any) -> SummaryWriter:
        writer = self._open_writer()
        if isinstance(writer, FileWriter):
            writer.release()
        with writer.as_default(), tf.summary.record_if(True):
            hyperparameters.write_summary(summary)
        return writer

    def _open_writer(self) -> SummaryWriter:
        if self._writer is None:
            raise RuntimeError(
                "KerasCallback expected to be used once; got a second fit: an hparams Keras callback cannot be "
                "reused across training sessions. Make a new one."
            )
        return self._writer
