"""`CSVLogger`: a line for every epoch, in a CSV file."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

from tapeflow.engine.devices import processes
from tapeflow.keras.callbacks.callback import Callback


class CSVLogger(Callback):
    """Writes the logs of every epoch as a line of a CSV file, flushed at once.

    The columns are `epoch` and the names of the first epoch's logs, sorted; what an epoch does not have is
    `NA`. If the first epoch has no validation, columns for it are kept free.

    Args:
        filename: the file.
        separator: what separates the columns, one character.
        append: whether to continue a file that exists.
    """

    def __init__(self, filename: str | os.PathLike[str], separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.sep = separator
        self.filename = os.fspath(filename)
        self.append = append
        self.append_header = True
        self.keys: list[str] | None = None
        self.csv_file: IO[str] | None = None
        self.writer: Any = None
        self._start = 0  # where in the file this training begins

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        path = self._path
        self.append_header = not (self.append and path.exists() and path.stat().st_size)
        self.csv_file = path.open("a" if self.append else "w", newline="")
        self._start = self.csv_file.tell()

    @property
    def _path(self) -> Path:
        """The file; of several processes, the first writes it."""
        return Path(self.filename if processes.is_first() else os.devnull)

    def get_training_state(self) -> Any:
        """The lines written so far, and where in the file they begin."""
        if self.csv_file is None:
            return {"keys": self.keys, "start": 0, "written": b""}
        self.csv_file.flush()
        written = self._path.read_bytes()[self._start :]
        return {"keys": self.keys, "start": self._start, "written": written}

    def set_training_state(self, state: Any) -> None:
        """Have the file as it was then: lines of epochs that will be trained again are taken out."""
        if self.csv_file is None or not processes.is_first():
            return
        self.csv_file.close()
        self.keys, self._start = state["keys"], state["start"]
        path = Path(self.filename)
        with path.open("r+b") as file:  # in its place: what is before was there before this training
            file.seek(self._start)
            file.write(state["written"])
            file.truncate()
        self.append_header = not (self._start or state["written"])
        self.writer, self.csv_file = None, path.open("a", newline="")

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if self.csv_file is None:
            self.on_train_begin()
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if not any(name.startswith("val_") for name in self.keys):
                self.keys += [f"val_{name}" for name in self.keys]
        if self.writer is None:
            self.writer = csv.writer(self.csv_file, delimiter=self.sep)  # pyright: ignore[reportArgumentType]
            if self.append_header:
                self.writer.writerow(["epoch", *self.keys])
        self.writer.writerow([epoch, *(_cell(logs.get(name, "NA")) for name in self.keys)])
        self.csv_file.flush()  # pyright: ignore[reportOptionalMemberAccess]

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        if self.csv_file is not None:
            self.csv_file.close()
        self.csv_file = self.writer = None


def _cell(value: Any) -> Any:
    """A value as it is written: several numbers as one quoted list."""
    if isinstance(value, str) or np.ndim(value) == 0 or not isinstance(value, Iterable):
        return value
    return f'"[{", ".join(map(str, value))}]"'
