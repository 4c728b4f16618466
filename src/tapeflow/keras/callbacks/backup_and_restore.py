"""`BackupAndRestore`: continue a training that was interrupted, as if it had not been."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tapeflow.engine.devices import processes
from tapeflow.io.temporary import remove_leftovers
from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.callbacks.preemption import Preemption
from tapeflow.keras.losses.shape_warning import warn_user
from tapeflow.keras.training.resume import Run
from tapeflow.train.background import CommitWriter

NAME = "training_state.safetensors"


class BackupAndRestore(Callback):
    """Backs up the training state, and resumes from it when the same `fit` is called again.

    What comes out in the end, weights and history, is the same bit by bit as if nothing had happened: the state
    has the weights, the optimizer with its loss scale, metrics in the middle of an epoch, random counters, the
    place in the data, and what the other callbacks remember. Datasets, arrays and Sequences go on where they
    were; a plain generator is run again up to there. The file is written on a thread while training goes on,
    and replaced whole, so an interruption at any moment leaves either the old backup or the new one.

    Wherever it stands in the list of callbacks, it saves a step or epoch after the others have seen it, and after
    the files that they write on threads (`ModelCheckpoint`, an asynchronous `tf.train.Checkpoint`) are on disk.

    Among several processes the first writes the backup, and all read it: `backup_dir` is to be on a file system that
    they share. A `SIGTERM` to one of them ends all after the same step. The number of processes may change between
    starts.

    A `SIGTERM` during `fit` makes one more backup and ends the program; a second one ends it at once.

    Args:
        backup_dir: the folder for the backup; use one for each training.
        save_freq: `'epoch'`, or a number of batches, counted across epochs. Where steps run many to a program, a
            backup is made when the program that reaches the number has ended.
        delete_checkpoint: whether to delete the backup when training has ended.
        save_before_preemption: as in Keras, allows `save_freq=None`: then a backup is made on `SIGTERM` alone.
    """

    _commits = True

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
        if save_freq and save_freq != "epoch" and (not isinstance(save_freq, int) or save_freq < 1):
            raise ValueError(
                "BackupAndRestore expected save_freq to be 'epoch' or a positive number of batches; got "
                f"save_freq={save_freq!r}."
            )
        self.backup_dir = os.fspath(backup_dir)
        self.save_freq = save_freq
        self.delete_checkpoint = delete_checkpoint
        self.save_before_preemption = save_before_preemption
        self.batches_since_backup = 0
        self._is_due, self._is_first, self._has_stepped = False, True, False
        self._writer = CommitWriter("backup")
        self._preemption = Preemption()
        self._run: Run | None = None

    @property
    def path(self) -> Path:
        """The backup's file."""
        return Path(self.backup_dir, NAME)

    def _implements_train_batch_hooks(self) -> bool:
        # `fit` says when steps have run, many of them at once; other loops have the hooks alone.
        return isinstance(self.save_freq, int) and getattr(self.model, "_run", None) is None

    def get_training_state(self) -> Any:
        """How many batches ago it last saved."""
        return {"batches_since_backup": self.batches_since_backup}

    def set_training_state(self, state: Any) -> None:
        """Go on counting."""
        self.batches_since_backup = state["batches_since_backup"]

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.batches_since_backup, self._is_due, self._has_stepped = 0, False, False
        run: Run = getattr(self.model, "_run", None) or Run(self.model)
        run.track()
        self._run = run
        self.model._initial_step = 0
        self._preemption.begin()
        self._is_first = not self.path.exists()
        if self._writes:
            remove_leftovers(Path(self.backup_dir), NAME.__eq__)
        is_restored = run.read(self.path)
        self._check_agreed(f"epoch {run.epoch}, step {run.step}" if is_restored else "none")
        if is_restored:
            self.model._initial_epoch, self.model._initial_step = run.epoch, run.step

    @property
    def _writes(self) -> bool:
        """Whether this is the process that writes the backup, among several."""
        return processes.is_first()

    def _check_agreed(self, backup: str) -> None:
        """All processes go on from the same backup: that of the first."""
        wanted = processes.agreed(backup)
        if backup != wanted:
            raise ValueError(
                f"BackupAndRestore expected the backup that process 0 has ({wanted}) in all processes; got {backup} in "
                f"{os.path.abspath(self.backup_dir)!r}. Put backup_dir on a file system that all of them share."
            )

    # In `fit`: around every program.

    def _before_steps(self, count: int) -> int:
        # Only programs of more steps than `save_freq` are cut; otherwise a backup may wait for the end of one.
        if not isinstance(self.save_freq, int) or count <= self.save_freq:
            return count
        return self.save_freq - self.batches_since_backup

    def _after_steps(self, count: int) -> None:
        self._has_stepped = True
        if isinstance(self.save_freq, int):
            self.batches_since_backup += count
            self._is_due = self.batches_since_backup >= self.save_freq
            self.batches_since_backup %= self.save_freq

    def _keep_state(self) -> None:
        if self._is_due:
            self._is_due = False
            self._back_up()
        has_stepped, self._has_stepped = self._has_stepped, False
        if self._preemption.is_due(has_stepped, self._wait):
            self._leave()

    def _wait(self) -> None:
        """Wait until the steps that were run have ended."""
        if self._run is not None and self._run.logs():
            return  # which has read what they gave
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is not None:
            int(optimizer.iterations)

    def _keep_beginning(self) -> None:
        # At once: what callbacks log from now on may have to be taken out again.
        if self._is_first and self._run is not None and self._writes:
            beginning, path = self._run.beginning(), self.path
            try:
                self._writer.run(lambda: beginning.write(path))
            except OSError as error:
                self._tell_of(error)

    # In other loops.

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if self._run is not None and self._run.source is None:
            self._run.epoch, self._run.step = epoch, 0

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if self._run is not None and self._run.source is None:
            self._run.step = batch + 1
            self._after_steps(1)
            self._keep_state()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._is_due = self.save_freq == "epoch"
        if self._run is not None and self._run.source is None:
            self._run.end_epoch(logs or {}, is_over=self.model.stop_training)
            self._keep_state()

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        if self._run is not None and self._run.source is None:
            self._forget_state()
            self._release()

    def _forget_state(self) -> None:
        self._settle()
        # On `SIGTERM` the program ends now, perhaps before it has saved anything else.
        if self.delete_checkpoint and self._writes and not self._preemption.is_asked:
            try:
                self._writer.run(lambda: self.path.unlink(missing_ok=True))
            except OSError as error:
                warn_user(
                    f"BackupAndRestore could not delete {str(self.path)!r} ({error.strerror or error}): delete it, or "
                    "the next training with this folder ends as this one did."
                )

    def _release(self) -> None:
        self._run = None
        try:
            self._settle()
        finally:
            self._preemption.end()

    def _back_up(self) -> None:
        if self._run is None:
            return
        captured, path = self._run.capture(), self.path  # by all: what is pending runs in the same programs
        if not self._writes:
            return
        try:
            self._writer.start(lambda: captured.write(path))
        except OSError as error:
            self._tell_of(error)

    def _settle(self) -> bool:
        """Have what is being written on disk; whether that went well."""
        try:
            self._writer.wait()
        except OSError as error:
            self._tell_of(error)
            return False
        return True

    def _tell_of(self, error: OSError) -> None:
        """A disk that takes no backup does not end the training: the last good one stays."""
        warn_user(
            f"BackupAndRestore could not write to {self.backup_dir!r} ({error}). Training goes on; the last backup "
            "that was written stays."
        )

    def _leave(self) -> None:
        self._back_up()
        if self._settle():
            text = f"training is saved in {self.backup_dir}; the same command goes on from there"
        elif self.path.exists():
            text = f"the last steps could not be saved in {self.backup_dir}; the same command goes on from before them"
        else:
            text = f"training could not be saved in {self.backup_dir}"
        self._preemption.leave(text)
