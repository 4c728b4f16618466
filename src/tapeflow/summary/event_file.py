"""One growing event file that survives what disks and people do to it.

Whole batches of records are appended with one write. If a write fails (a full disk), the file is cut back to
the last whole record, the batch is kept and tried again; if the file or its folder has been removed, writing
goes on in a new file. Each kind of trouble is said once.
"""

from __future__ import annotations

import itertools
import logging
import os
import socket
import time
from collections.abc import Callable

from tapeflow.summary import encoding
from tapeflow.summary.records import record

_MOST_KEPT = 64 << 20  # bytes of records kept for a disk that takes none
_log = logging.getLogger("tapeflow.summary")
_numbers = itertools.count()


class EventFile:
    """An event file in a folder; opened by `open`, or when there is something to append.

    Args:
        folder: the folder.
        suffix: what its name ends with.
        on_new_file: is called with the path of a file that is made, while it is empty.
    """

    def __init__(self, folder: str, suffix: str, on_new_file: Callable[[str], None] | None = None) -> None:
        self.folder = os.path.abspath(os.path.expanduser(folder))
        self.path: str | None = None
        self.failure: OSError | None = None
        self._suffix = suffix
        self._on_new_file = on_new_file
        self._descriptor: int | None = None
        self._good = 0  # bytes of whole records
        self._backlog: list[bytes] = []
        self._backlog_size = 0
        self._lost = 0
        self._reported: set[str] = set()

    @property
    def has_backlog(self) -> bool:
        """Whether records wait for the disk to take them."""
        return bool(self._backlog)

    def open(self) -> None:
        """Make the folder and a file that nobody else has."""
        self.append([])

    def append(self, records: list[bytes]) -> None:
        """Write records, and those that could not be written before; never raises for the disk's sake."""
        if self._backlog_size > _MOST_KEPT:
            self._lost += len(records)
        else:
            self._backlog += records
            self._backlog_size += sum(map(len, records))
        if not self._backlog and self._descriptor is not None:
            return
        try:
            if self._descriptor is not None and self._is_removed():
                self.report("removal", f"{self.path} has been removed; writing goes on in a new file")
                self.leave()
            if self._descriptor is None:
                self._descriptor = self._make()
            self._write(b"".join(self._backlog))
        except OSError as error:
            self._fail(error)
        else:
            self._backlog, self._backlog_size, self.failure = [], 0, None

    def close(self) -> None:
        """Let go of the file and say what was lost."""
        lost = self._lost + len(self._backlog)
        if lost:
            _log.error(
                "tf.summary: %d summaries could not be written and are lost (logdir %r).", lost, self.folder
            )
        self._backlog, self._lost = [], 0
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def leave(self) -> None:
        """Go on in a new file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._good = None, 0

    def report(self, kind: str, text: str) -> None:
        """Say that something went wrong, once for each kind of thing."""
        if kind not in self._reported:
            self._reported.add(kind)
            _log.error("tf.summary: %s (logdir %r). It is said once.", text, self.folder)

    def _make(self) -> int:
        os.makedirs(self.folder, exist_ok=True)
        while True:
            stamp, host = int(time.time()), socket.gethostname()
            name = f"events.out.tfevents.{stamp:010d}.{host}.{os.getpid()}.{next(_numbers)}{self._suffix}"
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
            self._write(record(encoding.version_event(float(stamp))))
            return found

    def _write(self, data: bytes) -> None:
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

    def _fail(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        self.failure = OSError(error.errno, f"tf.summary could not write to {self.folder!r}: {reason}")
        self.report(
            "failure",
            f"event files could not be written: {reason}. Summaries are kept, up to {_MOST_KEPT >> 20} MB, until "
            "they can be; training goes on. To stop instead, pass on_error='raise' to create_file_writer",
        )
