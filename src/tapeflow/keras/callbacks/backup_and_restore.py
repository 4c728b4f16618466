"""`BackupAndRestore`: continue a training that was interrupted."""

from __future__ import annotations

import os
import warnings
from typing import Any

import tapeflow as tf
from tapeflow.keras.callbacks.backup_file import Backup, read_backup, remove_backup, write_backup
from tapeflow.keras.callbacks.callback import Callback


class BackupAndRestore(Callback):
    """Backs the training state up, and goes on from there when the same `fit` is called again.

    The state is the model's weights, the optimizer's variables and the number of the epoch and step. It is
    written to a temporary file and renamed, so an interruption leaves either the old backup or the new one.
    `model._initial_epoch` and `model._initial_step` tell `fit` where to begin.

    Args:
        backup_dir: the folder for the backup; use one for each training.
        save_freq: `'epoch'`, or a number of batches.
        delete_checkpoint: whether to delete the backup when training has ended.
        save_before_preemption: not done yet; backups are made by `save_freq`.
    """

    def __init__(
        self,
        backup_dir: str | os.PathLike[str],
        save_freq: int | str | None = "epoch",
        delete_checkpoint: bool = True,
        save_before_preemption: bool = False,
    ) -> None:
        super().__init__()
        if not save_freq and not save_before_preemption:
            raise ValueError("Either `save_freq` or `save_before_preemption` must be set.")
        if save_before_preemption:
            warnings.warn(
                "BackupAndRestore(save_before_preemption=True) has no effect yet: backups are made by "
                f"`save_freq`, which is {save_freq!r}.",
                stacklevel=2,
            )
        self.backup_dir = os.fspath(backup_dir)
        self.save_freq = save_freq
        self.delete_checkpoint = delete_checkpoint
        self.save_before_preemption = save_before_preemption
        self.batches_since_backup = 0
        self._epoch = 0

    def _implements_train_batch_hooks(self) -> bool:
        return isinstance(self.save_freq, int)

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.batches_since_backup = 0
        self.model._initial_step = 0
        backup = read_backup(self.backup_dir)
        if backup is None:
            return
        if not self.model.built:
            warnings.warn(
                "To use the BackupAndRestore callback, your model must be built before you call `fit()`. "
                f"Model {self.model} is unbuilt: the backup in {self.backup_dir} is not restored. You can "
                "build it beforehand by calling it on a batch of data.",
                stacklevel=2,
            )
            return
        _restore(self.model, backup)
        self.model._initial_epoch, self.model._initial_step = backup.epoch, backup.step

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if not isinstance(self.save_freq, int):
            return
        self.batches_since_backup += 1
        if self.batches_since_backup >= self.save_freq:
            self.batches_since_backup = 0
            is_last = batch + 1 == (self.params or {}).get("steps")
            self._back_up(*((self._epoch + 1, 0) if is_last else (self._epoch, batch + 1)))

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if self.save_freq == "epoch":
            self._back_up(epoch + 1, 0)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        if self.delete_checkpoint:
            remove_backup(self.backup_dir)

    def _back_up(self, epoch: int, step: int) -> None:
        weights = [variable.numpy() for variable in self.model.weights]
        state = [variable.numpy() for variable in _optimizer_variables(self.model)]
        write_backup(self.backup_dir, Backup(epoch, step, weights, state))


def _optimizer_variables(model: Any) -> list[Any]:
    """All that an optimizer remembers, and its learning rate, which other callbacks change."""
    if model.optimizer is None:
        return []
    variables, rate = list(model.optimizer.variables), model.optimizer.learning_rate
    if isinstance(rate, tf.Variable) and all(variable is not rate for variable in variables):
        variables.append(rate)
    return variables


def _restore(model: Any, backup: Backup) -> None:
    if model.optimizer is not None:
        model.optimizer.build(model.trainable_variables)
    groups = (
        ("model", model.weights, backup.weights),
        ("optimizer", _optimizer_variables(model), backup.optimizer),
    )
    for what, variables, values in groups:
        wanted = [tuple(variable.shape) for variable in variables]
        given = [value.shape for value in values]
        if wanted != given:
            raise ValueError(
                f"BackupAndRestore expected a backup of this {what}, with variables of shapes {wanted}; got "
                f"{given}. Give each training a `backup_dir` of its own, or delete the old backup."
            )
    for _, variables, values in groups:
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
