"""One growing event file that survives what disks and people do to it.

Whole batches of records are appended with one write. If a write fails (a full disk), the file is cut back to
the last whole record, the batch is kept and tried again; if the file or its folder has been removed, writing
goes on in a new file. Each kind of trouble is said once.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tapeflow.summary.event_files.record_file import RecordFile, new_name


class EventFile(RecordFile):
    """An event file in a folder of this machine.

    Args:
        folder: the folder.
        suffix: what its name ends with.
        on_new_file: is called with the path of a file that is made, while it is empty.
    """

    def __init__(self, folder: str, suffix: str, on_new_file: Callable[[str], None] | None = None) -> None:
        super().__init__(os.path.abspath(os.path.expanduser(folder)))
        self._suffix = suffix
        self._on_new_file = on_new_file
        self._descriptor: int | None = None
        self._good = 0  # bytes of whole records

    @property
    def is_open(self) -> bool:
        """Whether there is a file to append to."""
        return self._descriptor is not None

    def leave(self) -> None:
        """Go on in a new file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._good = None, 0

    def _write(self, data: bytes) -> None:
        if self._descriptor is None:
            self._make()
        self._append(data)

    def _make(self) -> None:
        os.makedirs(self.folder, exist_ok=True)
        while True:
            name, version = new_name(self._suffix)
            path = os.path.join(self.folder, name)
            try:
                found = os.open(
                    path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
                )
            except FileExistsError:
                continue  # another machine of the same name
            self.path, self._good = path, 0
            self._descriptor = found
            if self._on_new_file is not None:
                self._on_new_file(path)
            self._append(version)
            return

    def _append(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor or 0, rest) :]
        except OSError:
            self._cut_back()
            raise
        self._good += len(data)

    def _cut_back(self) -> None:
        """Leave no half record in the file: what is written later would be read as its rest."""
        if self._descriptor is None:
            return
        try:
            os.ftruncate(self._descriptor, self._good)
            os.lseek(self._descriptor, self._good, os.SEEK_SET)
        except OSError:
            self.leave()  # so it must be another file

    def _is_removed(self) -> bool:
        """Whether the file is no longer in its folder; writing to it would succeed and be seen by nobody."""
        if self._descriptor is None or self.path is None:
            return False
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return True
        mine = os.fstat(self._descriptor)
        return (found.st_ino, found.st_dev) != (mine.st_ino, mine.st_dev)
