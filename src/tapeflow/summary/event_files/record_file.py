"""What every event file shares: records that wait for storage to take them, and troubles that are said once."""

from __future__ import annotations

import abc
import itertools
import logging
import os
import socket
import time

from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record

_MOST_KEPT = 64 << 20  # bytes of records kept for a disk that takes none
_log = logging.getLogger("tapeflow.summary")
_numbers = itertools.count()


class RecordFile(abc.ABC):
    """A growing event file in a folder; opened by `open`, or when there is something to append.

    Attributes:
        folder: the folder, or its address.
        path: the file, once there is one.
        failure: why the last attempt to write failed, or None.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path: str | None = None
        self.failure: OSError | None = None
        self._backlog: list[bytes] = []
        self._backlog_size = 0
        self._lost = 0
        self._reported: set[str] = set()

    @property
    @abc.abstractmethod
    def is_open(self) -> bool:
        """Whether there is a file to append to."""

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
        if not self._backlog and self.is_open:
            return
        try:
            if self.is_open and self._is_removed():
                self.report("removal", f"{self.path} has been removed; writing goes on in a new file")
                self.leave()
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
        self.leave()

    @abc.abstractmethod
    def leave(self) -> None:
        """Go on in a new file."""

    @abc.abstractmethod
    def _write(self, data: bytes) -> None:
        """Append whole records, all of them or none, to a file that is made if there is none.

        Raises:
            OSError: it could not be done; the file still ends with a whole record.
        """

    def _is_removed(self) -> bool:
        """Whether the file is no longer in its folder; writing to it would succeed and be seen by nobody."""
        return False

    def report(self, kind: str, text: str) -> None:
        """Say that something went wrong, once for each kind of thing."""
        if kind not in self._reported:
            self._reported.add(kind)
            _log.error("tf.summary: %s (logdir %r). It is said once.", text, self.folder)

    def _fail(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        self.failure = OSError(error.errno, f"tf.summary could not write to {self.folder!r}: {reason}")
        self.report(
            "failure",
            f"event files could not be written: {reason}. Summaries are kept, up to {_MOST_KEPT >> 20} MB, until "
            "they can be; training goes on. To stop instead, pass on_error='raise' to create_file_writer",
        )


def new_name(suffix: str) -> tuple[str, bytes]:
    """A name for an event file, as TensorFlow gives it, and the record that the file begins with."""
    stamp = int(time.time())
    name = f"events.out.tfevents.{stamp:010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}{suffix}"
    return name, record(encoding.version_event(float(stamp)))
