"""`Draft`: what is to stand in an HDF5 file, put together before a byte is written.

It holds on to what Variables hold now, without a copy: the engine gives a program that would overwrite such a value
another place. So a draft takes no time and no memory, training may go on, and the file is written when there is time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.file_part import FileTail
from tapeflow.keras.saving.progress import SavingProgress
from tapeflow.train.atomic import replacing
from tapeflow.train.checkpoint import held


class Draft:
    """A group of a file to be.

    Attributes:
        attrs: its attributes.
    """

    def __init__(self) -> None:
        self.attrs: dict[str, Any] = {}
        self._groups: list[tuple[str, Draft]] = []
        self._values: list[tuple[str, Any]] = []

    def create_group(self, path: str) -> Draft:
        """A group below this one."""
        group = Draft()
        self._groups.append((path, group))
        return group

    def put(self, name: str, value: object) -> None:
        """A Variable's value as it is now, or an array."""
        self._values.append((name, held(value) if isinstance(value, Variable) else np.array(value)))

    @property
    def nbytes(self) -> int:
        """How many bytes its values have."""
        own = sum(value.nbytes for _, value in self._values)
        return own + sum(group.nbytes for _, group in self._groups)

    def write(self, group: h5py.Group, on_bytes: Callable[[int], None]) -> None:
        """Put everything into a group of a file; `on_bytes` is told how many bytes have been written, each time."""
        for key, value in self.attrs.items():
            group.attrs[key] = value
        for name, value in self._values:
            hdf5.write(group, name, np.asarray(value))
            on_bytes(value.nbytes)
        for path, below in self._groups:
            below.write(group.create_group(path), on_bytes)


def write_draft(path: Path, draft: Draft) -> None:
    """Write an HDF5 file; what was there before stays until the new one is whole."""
    with (
        replacing(path) as temporary,
        SavingProgress(path, draft.nbytes) as progress,
        temporary.open("w+b") as file,
        hdf5.created(FileTail(file, 0)) as content,
    ):
        draft.write(content, progress.add)
