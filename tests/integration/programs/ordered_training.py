"""A training with many callbacks in any order: `python ordered_training.py KIND ORDER FOLDER KILL_AT`.

ORDER names the callbacks, a letter for each. The program kills itself before it touches the disk, below FOLDER, for
the KILL_AT-th time; with 0 it lives, and says at the end how often it did.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import interrupted_training as training

import tapeflow as tf
from tapeflow.plugins.hparams import api as hp

callbacks = tf.keras.callbacks
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.rename", "os.remove", "os.truncate", "os.mkdir", "os.rmdir")


class Killer:
    """Counts what is about to change something below a folder, and kills the process in time."""

    def __init__(self, folder: Path, kill_at: int) -> None:
        self._folder = str(folder.resolve())
        self._left = kill_at
        self.count = 0

    def watch(self) -> None:
        """Begin to count."""
        for name in ("write", "fsync", "close"):
            setattr(os, name, self._counted(getattr(os, name)))
        sys.addaudithook(self._note)

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(descriptor: int, *arguments: Any) -> Any:
            if self._is_below(os.readlink(f"/proc/self/fd/{descriptor}")):
                self._count()
            return function(descriptor, *arguments)

        return call

    def _note(self, event: str, arguments: Any) -> None:
        changes = event in CHANGES or (event == "open" and arguments[2] & WRITING)
        if changes and isinstance(arguments[0], (str, os.PathLike)) and self._is_below(arguments[0]):
            self._count()

    def _is_below(self, path: Any) -> bool:
        return os.path.abspath(path).startswith(self._folder)

    def _count(self) -> None:
        self.count += 1
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)


class Files(callbacks.Callback):
    """Writes a file for each epoch and batch, and a checkpoint on a thread."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.checkpoint: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        self.folder.mkdir(exist_ok=True)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        iteration = int(self.model.optimizer.iterations)
        (self.folder / f"batch-{iteration}-{batch}").write_text(repr(logs["loss"]))

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        (self.folder / f"epoch-{epoch}").write_text(repr(sorted(logs)))
        if self.checkpoint is None:
            self.checkpoint = tf.train.Checkpoint(model=self.model)
        options = tf.train.CheckpointOptions(enable_async=True)
        self.checkpoint.write(self.folder / f"async-{epoch}", options=options)


def noting(folder: Path) -> Any:
    def note(epoch: int, logs: Any) -> None:
        (folder / f"noted-{epoch}").write_text(str(epoch))

    return callbacks.LambdaCallback(on_epoch_end=note)


def made(letter: str, folder: Path, monitor: str) -> Any:
    """The callback of a letter."""
    keep, best = callbacks.ModelCheckpoint, {"monitor": monitor, "save_best_only": True}
    makers: dict[str, Callable[[], Any]] = {
        "B": lambda: callbacks.BackupAndRestore(folder / "backup", save_freq="epoch"),
        "b": lambda: callbacks.BackupAndRestore(folder / "backup", save_freq=2),
        "K": lambda: keep(folder / "kept-{epoch}-{batch}.keras", save_freq=2, load_weights_on_restart=True),
        "E": lambda: callbacks.EarlyStopping(monitor, patience=1, restore_best_weights=True),
        "R": lambda: callbacks.ReduceLROnPlateau(monitor, patience=0, factor=0.5),
        "C": lambda: callbacks.CSVLogger(folder / "log.csv"),
        "c": lambda: callbacks.CSVLogger(folder / "log.csv", append=True),
        "T": lambda: callbacks.TensorBoard(folder / "logs", update_freq=2),
        "t": lambda: callbacks.TensorBoard(folder / "logs", histogram_freq=1, embeddings_freq=1),
        "H": lambda: hp.KerasCallback(folder / "logs", {"units": 16}),
        "M": lambda: keep(folder / "at-{epoch}.keras"),
        "O": lambda: keep(folder / "best.keras", **best),
        "W": lambda: keep(folder / "weights-{epoch}", save_weights_only=True),
        "N": lambda: keep(folder / "step-{epoch}-{batch}.weights.h5", save_weights_only=True, save_freq=3),
        "n": lambda: keep(folder / "newest.h5", save_freq=2),
        "U": lambda: Files(folder / "files"),
        "L": lambda: noting(folder),
    }
    return makers[letter]()


def main(kind: str, order: str, folder: Path, kill_at: int) -> None:
    training.ROWS = 40
    tf.keras.utils.set_random_seed(7)
    model, data = training.KINDS[kind]()
    monitor = "val_loss" if "validation_data" in data or "validation_split" in data else "loss"
    killer = Killer(folder, kill_at)
    killer.watch()
    each = [made(letter, folder, monitor) for letter in order]
    model.fit(**data, epochs=3, verbose=0, callbacks=[*each, training.Result(folder)])
    print(killer.count)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
