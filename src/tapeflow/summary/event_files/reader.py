"""Reading one event file as it is now, and what has been added to it since.

A file may be cut off, have holes of zeros or bad checksums, and grow, shrink or be replaced meanwhile. It is
read in pieces with plain reads: a memory map would end the process if the file shrank.
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

from google.protobuf.message import DecodeError

from tapeflow.summary.event_files import wire
from tapeflow.summary.event_files.bulk import Column, scalar_columns
from tapeflow.summary.event_files.frames import Frames, record_length, scan
from tapeflow.summary.protos import message

MOST_FIELDS = 100_000
"""An event of more values is damage: each would cost a hundred times the memory that it takes in the file."""
_PIECE = 1 << 22
_MOST_PIECE = 1 << 25  # as pieces grow where records do; a longer one is read alone
_TAIL = 32


class Damage(NamedTuple):
    """A stretch of a file that could not be read."""

    path: str
    offset: int
    nbytes: int
    reason: str


class Other(NamedTuple):
    """An event that is not one float scalar, with its number in the file and where its record's data lies."""

    row: int
    offset: int
    nbytes: int
    event: Any


@dataclass
class Batch:
    """Events that follow one another in a file.

    Attributes:
        columns: the scalars, by tag; their `rows` count from the beginning of the file.
        others: every other event.
        damages: what could not be read.
        is_restart: whether the file is another one than before: what was read of it no longer holds.
        count: how many events.
    """

    columns: list[Column] = field(default_factory=list)
    others: list[Other] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    is_restart: bool = False
    count: int = 0


class Position(NamedTuple):
    """How far a file has been read: enough to go on in another process.

    Attributes:
        offset: bytes read.
        rows: events in them.
        is_lost: whether they end amid damage.
        identity: device and number of the file.
        tail: the last bytes read, to know the file by.
    """

    offset: int = 0
    rows: int = 0
    is_lost: bool = False
    identity: tuple[int, int] | None = None
    tail: bytes = b""


class EventFileReader:
    """Reads a file from where it stopped reading.

    Args:
        path: the file.
        is_checked: whether the checksums of data are looked at. Those of lengths always are; reading without the
            others is faster, and `lost_stretches` can look at them later.
        position: where to begin; one that the file does not fit any more gives a restart.
        follows_links: whether the file may be a link to another, or lie behind one.
    """

    def __init__(
        self,
        path: str,
        is_checked: bool = True,
        position: Position | None = None,
        follows_links: bool = True,
    ) -> None:
        self.path = path
        self.is_checked = is_checked
        self.follows_links = follows_links
        self.position = position or Position()

    @property
    def offset(self) -> int:
        """How many bytes have been read."""
        return self.position.offset

    def batches(self, is_final: bool = False) -> Iterator[Batch]:
        """What is in the file and has not been read.

        Args:
            is_final: nobody writes to it any more, so what is incomplete at its end is damage.

        Raises:
            OSError: it cannot be read, or is no regular file.
        """
        for found in self._stretches(is_final):
            if found is None:
                yield Batch(is_restart=True)
                continue
            piece, frames = found
            batch = self._batch(piece, frames)
            tail = piece[max(frames.end - _TAIL, 0) : frames.end]
            self.position = self.position._replace(
                offset=self.offset + frames.end,
                rows=self.position.rows + len(frames.starts),
                is_lost=frames.is_lost,
                tail=(self.position.tail + tail)[-_TAIL:],
            )
            yield batch

    def lost_stretches(self, until: int) -> Iterator[list[tuple[int, int]]]:
        """The stretches of bytes before `until` that are no records, checksums of data looked at, piece by piece."""
        reader = EventFileReader(self.path, follows_links=self.follows_links)
        for found in reader._stretches(False):
            if found is None or reader.offset >= until:
                return
            _, frames = found
            yield [(reader.offset + begin, reader.offset + end) for begin, end in frames.lost]
            reader.position = reader.position._replace(
                offset=reader.offset + frames.end, is_lost=frames.is_lost
            )

    def _stretches(self, is_final: bool) -> Iterator[tuple[bytes, Frames] | None]:
        """Pieces of the file with records in them; None if it is another one than before.

        Whoever takes a piece moves `position` behind it.
        """
        try:
            file = open_regular(self.path, self.follows_links)
        except FileNotFoundError:
            if self.position.identity is not None:
                self.position = Position()
                yield None
            return
        with file:
            status = os.fstat(file.fileno())
            identity = (status.st_dev, status.st_ino)
            if self.position.identity is not None and not self._is_same(file, status.st_size, identity):
                self.position = Position()
                yield None
            self.position = self.position._replace(identity=identity)
            yield from self._pieces(file, is_final)

    def _is_same(self, file: BinaryIO, size: int, identity: tuple[int, int]) -> bool:
        if identity != self.position.identity or size < self.offset:
            return False
        tail = self.position.tail
        file.seek(self.offset - len(tail))
        return file.read(len(tail)) == tail

    def _pieces(self, file: BinaryIO, is_final: bool) -> Iterator[tuple[bytes, Frames]]:
        size = _PIECE
        while True:
            file.seek(self.offset)
            piece = file.read(size)
            goes_on = len(piece) == size
            frames = scan(piece, is_final and not goes_on, goes_on, self.position.is_lost, self.is_checked)
            if frames.end:
                yield piece, frames
                size = min(size, _MOST_PIECE)
            else:
                self.position = self.position._replace(is_lost=frames.is_lost)
                if goes_on:  # a record longer than that: taken whole, once it is all there
                    size = record_length(piece) + 1
                    if os.fstat(file.fileno()).st_size - self.offset < size - 1 and not is_final:
                        return
            if not goes_on:
                return

    def _batch(self, piece: bytes, frames: Frames) -> Batch:
        starts, lengths, first_row = frames.starts, frames.lengths, self.position.rows
        columns, rest = scalar_columns(piece, starts, lengths)
        batch = Batch(columns, count=len(starts))
        for begin, end in frames.lost:
            batch.damages.append(Damage(self.path, self.offset + begin, end - begin, "not a record"))
        for column in columns:
            column.rows += first_row
        read = message("Event").FromString
        limit = f"an event of more than {MOST_FIELDS} values"
        for row in rest.tolist():
            start, length = int(starts[row]), int(lengths[row])
            try:
                is_small = _has_few_fields(piece, start, start + length)
                event = read(piece[start : start + length]) if is_small else None
            except (DecodeError, ValueError, IndexError):
                event, is_small = None, True
            if event is None:
                reason = "not an event" if is_small else limit
                batch.damages.append(Damage(self.path, self.offset + start, length, reason))
                continue
            batch.others.append(Other(first_row + row, self.offset + start, length, event))
        return batch


def _has_few_fields(data: bytes, begin: int, end: int) -> bool:
    """Whether an event has no more values than somebody may have meant: an empty one takes two bytes of a file.

    Raises:
        ValueError or IndexError: it is no message.
    """
    left = MOST_FIELDS
    for number, kind, start, stop in wire.fields(data, begin, end):
        left -= 1
        if (number, kind) == (5, 2):  # a summary
            left -= sum(1 for _ in itertools.islice(wire.fields(data, start, stop), left + 1))
        if left < 0:
            return False
    return True


def open_regular(path: str, follows_links: bool = True) -> BinaryIO:
    """Open a file to read it, unless it is nothing that has bytes to itself: a pipe would never end.

    Raises:
        OSError: it is not there, may not be read, or is no regular file; or there is a link in its path, and they
            are not followed.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags) if follows_links else _open_without_links(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return open(descriptor, "rb")


def _open_without_links(path: str, flags: int) -> int:
    """Open a file folder by folder, so that none of them can be exchanged for a link meanwhile."""
    path = os.path.abspath(path)
    if os.open not in os.supports_dir_fd:
        if os.path.realpath(path) != path:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        return os.open(path, flags)
    # A folder that may be passed through but not listed is opened all the same where there is O_PATH.
    passing = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
    *folders, name = path.strip(os.sep).split(os.sep)
    descriptor = os.open(os.sep, passing)
    for part, how in [*((folder, passing) for folder in folders), (name, flags | os.O_NOFOLLOW)]:
        try:
            inner = os.open(part, how, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor
