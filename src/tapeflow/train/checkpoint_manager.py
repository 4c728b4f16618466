"""`tf.train.CheckpointManager`: the last few checkpoints of a training, and no others."""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tapeflow.summary.event_files.sorted_table import is_table
from tapeflow.train.checkpoint import Checkpoint, CheckpointOptions
from tapeflow.train.checkpoint_state import (
    check_state_file,
    file_of,
    get_checkpoint_state,
    update_checkpoint_state,
)
from tapeflow.train.parts import delete_parts
from tapeflow.train.restoration import is_checkpoint
from tapeflow.train.tensor_file import BrokenFile, TensorFile

now = time.time


class CheckpointManager:
    """Saves checkpoints in a folder under growing numbers and deletes old ones.

    It deletes checkpoints of its own name in its own folder, and nothing else that the folder's file `checkpoint`
    may name.

    Args:
        checkpoint: the `tf.train.Checkpoint` to save.
        directory: the folder; use one for each training.
        max_to_keep: how many to keep; None keeps all.
        keep_checkpoint_every_n_hours: besides those, keep one for ever every so many hours.
        checkpoint_name: what the files' names begin with.
        step_counter: a Variable, with `checkpoint_interval`.
        checkpoint_interval: `save` does nothing if the counter has grown by less since the last one.
        init_fn: what `restore_or_initialize` calls if there is no checkpoint.
        last_checkpoint_step: the counter's value at the last save, if known.

    >>> manager = tf.train.CheckpointManager(checkpoint, "folder", max_to_keep=3)
    >>> checkpoint.restore(manager.latest_checkpoint)
    >>> manager.save()
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: str | os.PathLike[str],
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._max_to_keep = max_to_keep
        self._keep_every_s = (
            None if not keep_checkpoint_every_n_hours else keep_checkpoint_every_n_hours * 3600
        )
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._last_step = last_checkpoint_step
        self._init_fn = init_fn
        self._kept: dict[str, float] = {}  # paths that may be deleted some day, oldest first, and their times
        self._recover()

    def _recover(self) -> None:
        """Take up what an earlier manager of this folder knew."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            self._latest: str | None = None
            self._last_preserved = now() - 1.0  # a little back, for a manager made again at once
            return
        self._latest = state.model_checkpoint_path
        self._last_preserved = min(state.last_preserved_timestamp, now())
        times = state.all_model_checkpoint_timestamps
        if len(times) != len(state.all_model_checkpoint_paths):
            times = [now()] * len(state.all_model_checkpoint_paths)
        for path, saved in zip(state.all_model_checkpoint_paths, times, strict=True):
            own = self._own_path(path)
            if own is not None and min(saved, now()) > self._last_preserved:
                self._kept[own] = min(saved, now())

    def _own_path(self, path: str) -> str | None:
        """A path of the state file as this manager would have written it; None if it would not have."""
        place, start = os.path.split(self._prefix)
        folder, name = os.path.split(path)
        is_here = os.path.abspath(folder) == os.path.abspath(place)
        return (
            os.path.join(place, name)
            if is_here and re.fullmatch(rf"{re.escape(start)}--?\d+", name)
            else None
        )

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The Checkpoint that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How much the counter must grow between two saves."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, to give to `restore`."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are managed, oldest first; those kept for ever are left out."""
        return list(self._kept)

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Save a checkpoint and delete those that are too old.

        Args:
            checkpoint_number: the number in its name; the count of saves unless given.
            check_interval: whether `checkpoint_interval` counts for this one.
            options: how to write.

        Returns:
            Its path; None if the last one is too recent.
        """
        if self._interval is not None:
            step = int(self._step_counter)
            if check_interval and self._last_step is not None and step - self._last_step < self._interval:
                return None
            self._last_step = step
        check_state_file(self._directory)
        self._checkpoint.save_counter.assign_add(1)
        counted = self._checkpoint.save_counter if checkpoint_number is None else checkpoint_number
        path = f"{self._prefix}-{int(counted)}"
        notes = CheckpointOptions()
        if options is not None:
            notes = CheckpointOptions(enable_async=options.enable_async, format=options.format)
        given = (options.experimental_write_callbacks if options else None) or ()
        notes.experimental_write_callbacks = [self._record, *given]
        return self._checkpoint.write(path, notes)

    def _record(self, path: str) -> None:
        """Note a checkpoint that is on disk, and let old ones go; the note comes first and is then mended."""
        self._kept.pop(path, None)
        self._kept[path] = now()
        self._latest = path
        self._write_state()
        if self._max_to_keep and len(self._kept) > self._max_to_keep:
            self._sweep(self._max_to_keep)
            self._write_state()

    def _sweep(self, most: int) -> None:
        while len(self._kept) > most:
            path, saved = next(iter(self._kept.items()))
            del self._kept[path]
            if self._keep_every_s and saved - self._keep_every_s >= self._last_preserved:
                self._last_preserved = saved
                continue
            _delete(path)

    def _write_state(self) -> None:
        times = list(self._kept.values())
        update_checkpoint_state(
            self._directory, self._latest or "", list(self._kept), times, self._last_preserved
        )

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint; if there is none, call `init_fn`.

        Returns:
            The path that was restored, or None.
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Wait until what `enable_async` writes is on disk."""
        self._checkpoint.sync()


def _delete(save_path: str) -> None:
    """Delete the file of a checkpoint; and those that TensorFlow wrote under this path, the index first."""
    file, index = file_of(save_path), Path(f"{save_path}.index")
    if _is_checkpoint(file):
        file.unlink(missing_ok=True)
        delete_parts(file)
    if index.is_file() and not index.is_symlink() and is_table(index):
        index.unlink(missing_ok=True)
        for part in index.parent.glob(f"{glob.escape(index.stem)}.data-[0-9]*-of-[0-9]*"):
            part.unlink(missing_ok=True)


def _is_checkpoint(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    try:
        with TensorFile(file) as tensors:
            return is_checkpoint(tensors)
    except (BrokenFile, FileNotFoundError):
        return False
