"""Compiled programs on disk: as many as a limit allows, shared by the processes of a user.

JAX's own store has no limit, or one for which it lists the whole folder at every write; and it writes files in place,
where a process that is killed leaves half of one, which every later process fails to read.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

_SUFFIX = "-cache"
_WRITES_BETWEEN_LOOKS = 64
_KEPT_SHARE = 0.75
"""So much of the limit is left when old programs are deleted, so that this is not needed again at once."""


class StoredPrograms:
    """A folder of compiled programs, in the form that JAX asks for.

    Args:
        folder: where they are. It is trusted: who may write to it may run code.
        most_bytes: about how much they may take; those that were used longest ago go first.
    """

    def __init__(self, folder: str, most_bytes: int) -> None:
        self._path = Path(folder)  # under this name JAX asks for it
        self._most_bytes = most_bytes
        self._writes = 0

    def get(self, key: str) -> bytes | None:
        """A compiled program, or None if it is not there."""
        path = self._path / f"{key}{_SUFFIX}"
        try:
            found = path.read_bytes()
        except FileNotFoundError:
            return None
        with suppress(OSError):  # a folder that is read only, or a file that has just been deleted
            os.utime(path)
        return found

    def put(self, key: str, value: bytes) -> None:
        """Store a compiled program; one of this key that is there already could not be read, and is replaced."""
        self._path.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=self._path, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(value)
            os.replace(draft, self._path / f"{key}{_SUFFIX}")
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(draft)
            raise
        if self._writes % _WRITES_BETWEEN_LOOKS == 0:
            self._delete_old()
        self._writes += 1

    def clear(self) -> None:
        """JAX's interface asks for it; what is on disk stays."""

    def _delete_old(self) -> None:
        files = []
        with os.scandir(self._path) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    with suppress(FileNotFoundError):  # another process deletes, too
                        stat = entry.stat(follow_symlinks=False)
                        files.append((stat.st_mtime, stat.st_size, entry.path))
        excess = sum(size for _, size, _ in files) - self._most_bytes
        if excess <= 0:
            return
        excess += int(self._most_bytes * (1 - _KEPT_SHARE))
        for _, size, path in sorted(files):
            if excess <= 0:
                return
            with suppress(FileNotFoundError):
                os.unlink(path)
            excess -= size
