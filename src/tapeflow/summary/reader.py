"""Reading one event file as it is now, and what has been added to it since.

A file may be cut off, have holes of zeros or bad checksums, and grow, shrink or be replaced meanwhile. It is
read in pieces with plain reads: a memory map would end the process if the file shrank.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.summary.bulk import Column, scalar_columns
from tapeflow.summary.frames import scan
from tapeflow.summary.protos import message

_PIECE = 8 << 20


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


class EventFileReader:
    """Reads a file from where it stopped reading."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._forget()

    def _forget(self) -> None:
        self.offset = 0
        self._rows = 0
        self._is_lost = False
        self._identity: tuple[int, int] | None = None

    def batches(self, is_final: bool = False) -> Iterator[Batch]:
        """What is in the file and has not been read.

        Args:
            is_final: nobody writes to it any more, so what is incomplete at its end is damage.
        """
        try:
            file = open(self.path, "rb")  # noqa: SIM115 - closed by the with below
        except FileNotFoundError:
            if self._identity is not None:
                self._forget()
                yield Batch(is_restart=True)
            return
        with file:
            status = os.fstat(file.fileno())
            identity = (status.st_dev, status.st_ino)
            if self._identity is not None and (identity != self._identity or status.st_size < self.offset):
                self._forget()
                yield Batch(is_restart=True)
            self._identity = identity
            yield from self._pieces(file, is_final)

    def _pieces(self, file: Any, is_final: bool) -> Iterator[Batch]:
        size = _PIECE
        while True:
            file.seek(self.offset)
            piece = file.read(size)
            goes_on = len(piece) == size
            frames = scan(piece, is_final and not goes_on, goes_on, self._is_lost)
            self._is_lost = frames.is_lost
            if frames.end:
                yield self._batch(piece, frames.starts, frames.lengths, frames.lost)
                self.offset += frames.end
                size = _PIECE
            elif goes_on:
                size *= 2  # a record longer than that
            if not goes_on:
                return

    def _batch(
        self, piece: bytes, starts: np.ndarray, lengths: np.ndarray, lost: list[tuple[int, int]]
    ) -> Batch:
        columns, rest = scalar_columns(piece, starts, lengths)
        batch = Batch(columns, count=len(starts))
        for begin, end in lost:
            batch.damages.append(Damage(self.path, self.offset + begin, end - begin, "not a record"))
        for column in columns:
            column.rows += self._rows
        read = message("Event").FromString
        for row in rest.tolist():
            start, length = int(starts[row]), int(lengths[row])
            try:
                event = read(piece[start : start + length])
            except DecodeError:
                batch.damages.append(Damage(self.path, self.offset + start, length, "not an event"))
                continue
            batch.others.append(Other(self._rows + row, self.offset + start, length, event))
        self._rows += len(starts)
        return batch
