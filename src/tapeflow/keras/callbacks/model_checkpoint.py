"""`ModelCheckpoint`: save the model, or its weights, while it trains."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import string
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tapeflow.engine.devices import processes
from tapeflow.io.temporary import remove_leftovers
from tapeflow.keras.callbacks.callback import Callback, is_users
from tapeflow.keras.callbacks.monitor import Direction, comparison, direction, worst
from tapeflow.keras.callbacks.preemption import Preemption
from tapeflow.keras.saving.progress import quiet
from tapeflow.keras.training.resume import Capture
from tapeflow.keras.utils.messages import say
from tapeflow.train.background import BackgroundWriter, CommitWriter, NotCommitted, Work
from tapeflow.train.tensor_file import ENDING

_STATE = ".training_state.safetensors"
_NUMBER = r"(?:[-+.,%\s\da-fA-F]|inf|nan)+"  # in any notation
_REMEMBERED = ("best", "epochs_since_last_save", "batches_since_last_save", "_last_batch")


class ModelCheckpoint(Callback):
    """Saves the model or its weights at the end of every epoch, or every `save_freq` batches.

    The model is taken as it is at that moment; the file is written on a thread while training goes on. It is there
    when `fit` returns, when `load_model` or `load_weights` asks for it, when the `on_epoch_end` of a callback of
    your own is called, and, for a subclass of this class, when the hook that saves returns. A model that has a
    `save` or `save_weights` of its own is saved by that, at once.

    Args:
        filepath: the file. It may hold `{epoch}` (from 1), `{batch}` and names of the logs, with formats:
            `weights.{epoch:02d}-{val_loss:.2f}.h5`.
        monitor: the quantity that decides which model is best.
        verbose: 1 to print what it does.
        save_best_only: whether to save only when the monitored quantity is better than ever.
        save_weights_only: whether to call `model.save_weights` instead of `model.save`.
        mode: `min`, `max`, or `auto`: `max` for names that contain `acc` or begin with `fmeasure`.
        save_freq: `'epoch'`, or a number of batches, counted across epochs.
        options: handed on to `model.save` or `model.save_weights`.
        initial_value_threshold: the value the first save must beat.
        **kwargs: `period` (save every so many epochs) and `load_weights_on_restart`, of old Keras. With the
            latter the whole state of the training is kept beside the newest file, and a training that was
            interrupted goes on there, bit by bit, as with `BackupAndRestore`.
    """

    def __init__(
        self,
        filepath: str | os.PathLike[str],
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: int | str = "epoch",
        options: Any = None,
        initial_value_threshold: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.filepath = os.fspath(filepath)
        if options is not None and not save_weights_only and self.filepath.endswith(".keras"):
            raise ValueError(
                "ModelCheckpoint expected no `options` for the native Keras format; got "
                f"filepath={self.filepath!r}, options={options!r}. Remove `options` or the `.keras` extension."
            )
        if save_freq != "epoch" and (not isinstance(save_freq, int) or save_freq < 1):
            raise ValueError(
                f'Unrecognized save_freq: {save_freq}. Expected save_freq are "epoch" or integer'
            )
        self.period = kwargs.pop("period", 1)
        self.load_weights_on_restart = kwargs.pop("load_weights_on_restart", False)
        if kwargs:
            raise TypeError(f"ModelCheckpoint expected no argument {', '.join(map(repr, kwargs))}.")
        self.monitor = monitor
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self.options = options
        is_score = "acc" in monitor or monitor.startswith("fmeasure")
        # Without `save_best_only` nothing is compared, and there is nothing to tell about `auto`.
        self.mode: Direction = direction("ModelCheckpoint", mode, monitor if save_best_only else "", is_score)
        self.monitor_op = comparison(self.mode)
        self.best = worst(self.mode) if initial_value_threshold is None else initial_value_threshold
        self.epochs_since_last_save = 0
        self.batches_since_last_save = 0
        self._last_batch = -1
        self._current_epoch = 0
        self._saved: str | None = None  # the file of this step or epoch, beside which the state goes
        self._writer, self._states = BackgroundWriter("checkpoint"), CommitWriter("training state")
        self._written: str | None = None
        self._preemption = Preemption()
        self._keeps_beginning = False  # whether to note the beginning of this training

    def _implements_train_batch_hooks(self) -> bool:
        # `fit` says when steps have run, many of them at once; other loops have the hooks alone.
        is_counting = self._has_own_batch_hook or getattr(self.model, "_run", None) is None
        return self.save_freq != "epoch" and is_counting

    @property
    def _has_own_batch_hook(self) -> bool:
        """Whether a subclass decides after each batch whether to save."""
        return type(self).on_train_batch_end is not ModelCheckpoint.on_train_batch_end

    def _before_steps(self, count: int) -> int:
        if isinstance(self.save_freq, str) or self._has_own_batch_hook:
            return count
        return min(count, self.save_freq - self.batches_since_last_save)

    def _after_steps(self, count: int) -> None:
        run = self.model._run
        if isinstance(self.save_freq, str) or run is None or self._has_own_batch_hook:
            return
        self.batches_since_last_save += count
        if self.batches_since_last_save >= self.save_freq:
            self.batches_since_last_save = 0
            self._save_model(run.epoch, run.step - 1, run.logs())

    def get_training_state(self) -> Any:
        """The best so far, and how long ago it saved."""
        return {name: getattr(self, name) for name in _REMEMBERED}

    def set_training_state(self, state: Any) -> None:
        """Go on counting."""
        for name in _REMEMBERED:
            setattr(self, name, state[name])

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._remove_leftovers()
        if not self.load_weights_on_restart:
            return
        if processes.joined() is not None:
            raise ValueError(
                "ModelCheckpoint expected a single process with load_weights_on_restart=True; got several. Use the "
                "callback BackupAndRestore."
            )
        run, files = getattr(self.model, "_run", None), matches(self.filepath)
        if run is not None:
            run.track()
            self._preemption.begin()
            state = newest(matches(self.filepath + _STATE))
            if state is not None and run.read(state):
                self.model._initial_epoch = run.epoch
                return
            if state is not None:  # of a beginning: what is newer is of the training that was interrupted
                files = [file for file in files if file.stat().st_mtime_ns < state.stat().st_mtime_ns]
            self._keeps_beginning = state is None
        weights = newest(files)
        if weights is not None:
            self.model.load_weights(str(weights))

    def _remove_leftovers(self) -> None:
        """Remove what a killed training left of the files that it was writing."""
        if not processes.is_first():
            return
        for path in (self.filepath, self.filepath + ENDING, self.filepath + _STATE):
            folder, name = os.path.split(path)
            is_target = _form(name).fullmatch
            for found in matches(folder) if folder else [Path()]:
                remove_leftovers(found, is_target)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._writer.wait()

    def _forget_state(self) -> None:
        if self.load_weights_on_restart and not self._preemption.is_asked:
            self._commit(self._states.run, lambda: self._forget_states(None))

    def _release(self) -> None:
        try:
            self._writer.wait()
            self._commit(self._states.run, lambda: None)
        finally:
            self._preemption.end()

    def _keep_state(self) -> None:
        """Write the training's state beside the file just saved, once everybody has seen the step or epoch."""
        saved, self._saved = self._saved, None
        if saved is not None:
            write = self._state_writer(Path(saved + _STATE), self.model._run.capture())
            self._commit(self._states.start, write)
        if self._preemption.is_asked:
            self._leave()

    def _commit(self, how: Callable[[Work], None], work: Work) -> None:
        if processes.is_first():
            with contextlib.suppress(NotCommitted):  # whoever could not write raises why
                how(work)

    def _state_writer(self, path: Path, captured: Capture) -> Work:
        """What writes the training's state in the place of all others."""

        def write() -> None:
            captured.write(path)
            self._forget_states(path)

        return write

    @property
    def _unsaved(self) -> Path:
        """The file of a state that belongs to no file of this callback."""
        parts = string.Formatter().parse(self.filepath + _STATE)
        return Path("".join(text + "0" * (field is not None) for text, field, *_ in parts))

    def _leave(self) -> None:
        state = self._unsaved
        try:
            self._states.run(self._state_writer(state, self.model._run.capture()))
            text = f"training is saved in {state}; the same command goes on from there"
        except OSError as error:
            text = f"training could not be saved in {state} ({error})"
        self._preemption.leave(text)

    def _start(self, path: str, write: Work) -> None:
        """Write on the thread. A file gives way to a newer one of its name only."""
        if not processes.is_first():
            return
        if path != self._written:
            self._writer.wait()
        self._written = path
        self._writer.start(write)

    def _forget_states(self, kept: Path | None) -> None:
        for found in matches(self.filepath + _STATE):
            if found != kept:
                found.unlink(missing_ok=True)

    def _keep_beginning(self) -> None:
        if self._keeps_beginning:
            self._keeps_beginning = False
            self._commit(self._states.run, self._state_writer(self._unsaved, self.model._run.beginning()))

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._current_epoch = epoch

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if self._should_save_on_batch(batch):
            self._save_model(self._current_epoch, batch, logs)

    def _should_save_on_batch(self, batch: int) -> bool:
        """Count the batches since the last call, and say whether there are enough of them."""
        if isinstance(self.save_freq, str):
            return False
        # A batch number that does not grow means a new epoch; one call may stand for several batches.
        since = batch - self._last_batch if batch > self._last_batch else batch + 1
        self._last_batch = batch
        self.batches_since_last_save += since
        if self.batches_since_last_save < self.save_freq:
            return False
        self.batches_since_last_save = 0
        return True

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch" and self.epochs_since_last_save >= self.period:
            self._save_model(epoch, None, logs)

    # Subclasses in packages call the next two, and `_should_save_on_batch`, by Keras's names.
    def _save_model(self, epoch: int, batch: int | None, logs: dict[str, Any] | None) -> None:
        logs = logs or {}
        self.epochs_since_last_save = 0
        path = self._get_file_path(epoch, batch, logs)
        if self.save_best_only and not self._is_best(epoch, path, logs):
            return
        if not self.save_best_only and self.verbose > 0:
            say(f"\nEpoch {epoch + 1}: saving model to {path}")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        try:
            write = self._writer_of(path)
        except IsADirectoryError as error:
            raise OSError(
                "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an existing directory: "
                f"{path}"
            ) from error
        self._start(path, write)
        if is_users(self):
            self._writer.wait()  # its own hook may go on with the file
        if self.load_weights_on_restart and getattr(self.model, "_run", None) is not None:
            self._saved = path

    def _writer_of(self, path: str) -> Work:
        """What writes the model as it is now."""
        from tapeflow.keras.models.model import Model  # start-up
        from tapeflow.keras.saving.model_file import model_writer
        from tapeflow.keras.saving.weight_file import weights_writer

        name = "save_weights" if self.save_weights_only else "save"
        if getattr(self.model, name) != getattr(Model, name).__get__(self.model):
            options = {} if self.options is None else {"options": self.options}
            getattr(self.model, name)(path, overwrite=True, **options)
            return lambda: None
        write = (weights_writer if self.save_weights_only else model_writer)(self.model, path)

        def write_quietly() -> None:
            with quiet():
                write()

        return write_quietly

    def _is_best(self, epoch: int, path: str, logs: dict[str, Any]) -> bool:
        """Whether the model is better than ever; then it is the best from now on."""
        current = logs.get(self.monitor)
        if current is None:
            warnings.warn(
                f"Can save best model only with {self.monitor} available, skipping. "
                f"Available metrics are: {','.join(logs)}",
                stacklevel=5,
            )
            return False
        name = f"\nEpoch {epoch + 1}: {self.monitor}"
        if not self.monitor_op(current, self.best):
            if self.verbose > 0:
                say(f"{name} did not improve from {self.best:.5f}")
            return False
        if self.verbose > 0:
            say(f"{name} improved from {self.best:.5f} to {current:.5f}, saving model to {path}")
        self.best = current
        return True

    def _get_file_path(self, epoch: int, batch: int | None, logs: dict[str, Any] | None) -> str:
        fields = {**(logs or {}), "epoch": epoch + 1}
        if batch is not None:
            fields.setdefault("batch", batch + 1)
        try:
            return self.filepath.format(**fields)
        except KeyError as error:
            raise KeyError(
                f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}. '
                f"Available names are: {', '.join(sorted(fields))}."
            ) from error


def matches(pattern: str) -> list[Path]:
    """The files that a path with `{...}` fields may stand for; all fields are numbers."""
    form, parts = _form(str(Path(pattern))), string.Formatter().parse(str(Path(pattern)))
    wide = "".join(glob.escape(text) + "*" * (field is not None) for text, field, *_ in parts)
    return [Path(found) for found in glob.glob(wide) if form.fullmatch(found)]


def _form(pattern: str) -> re.Pattern[str]:
    """The names that a text with `{...}` fields may stand for."""
    parts = string.Formatter().parse(pattern)
    return re.compile("".join(re.escape(text) + _NUMBER * (field is not None) for text, field, *_ in parts))


def newest(files: list[Path]) -> Path | None:
    """The file written last."""
    return max(files, key=lambda p: (p.stat().st_mtime_ns, p.name), default=None)
