"""Scalars decoded by the thousand: columns straight from the bytes, with no message built for any of them.

Scalar events of one tag differ only in the time, the step and four bytes of value. Events of equal length and
equally long steps are laid out as the rows of a matrix; one row is parsed to learn where things are, all rows
equal to it elsewhere belong to the same tag, and their columns are cut out. What does not fit is left to the
general way, so this is only about speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from google.protobuf.message import DecodeError
from numpy.lib.stride_tricks import sliding_window_view

from tapeflow.summary.event_files import wire
from tapeflow.summary.protos import message

_TIME_END = 9
_MOST_LAYOUTS = 64  # of one length: beyond, the rest goes the general way


@dataclass
class Column:
    """Scalars of one tag, in the order of the file.

    Attributes:
        tag: the tag.
        metadata: the serialised SummaryMetadata that came with them, or nothing.
        is_simple: whether they were written as `simple_value`, which no plugin's metadata needs to go with.
        rows: which events of the batch they are.
        steps: int64.
        wall_times: float64.
        values: float64.
    """

    tag: str
    metadata: bytes
    is_simple: bool
    rows: np.ndarray
    steps: np.ndarray
    wall_times: np.ndarray
    values: np.ndarray


def scalar_columns(buffer: bytes, starts: np.ndarray, lengths: np.ndarray) -> tuple[list[Column], np.ndarray]:
    """The scalars among the events, and which events are something else."""
    array = np.frombuffer(buffer, np.uint8)
    columns: list[Column] = []
    left: list[np.ndarray] = []
    order = np.argsort(lengths, kind="stable")
    cuts = np.flatnonzero(np.diff(lengths[order])) + 1
    for rows in np.split(order, cuts):
        length = int(lengths[rows[0]]) if rows.size else 0
        if not 16 <= length <= 2048:
            left.append(rows)
            continue
        events = _Events(sliding_window_view(array, length)[starts[rows]], rows)
        events.split(columns)
        left.append(events.left)
    rest = np.sort(np.concatenate(left)) if left else np.zeros(0, np.int64)
    return columns, rest


class _Events:
    """Events of one length, as the rows of a matrix."""

    def __init__(self, bytes_: np.ndarray, rows: np.ndarray) -> None:
        self.bytes = bytes_
        self.rows = rows
        self.left = rows[:0]

    def split(self, columns: list[Column]) -> None:
        """Add the columns found in it, and keep what is left."""
        sizes = self._step_sizes()
        left = [self.rows[sizes < 0]]
        for size in np.unique(sizes[sizes >= 0]):
            todo = np.flatnonzero(sizes == size)
            for _ in range(_MOST_LAYOUTS):
                if not todo.size:
                    break
                layout = scalar_layout(self.bytes[todo[0]].tobytes())
                if layout is None:
                    left.append(self.rows[todo[:1]])
                    todo = todo[1:]
                    continue
                is_like = self._is_like(layout, todo)
                left += self._cut(layout, todo[is_like], int(size), columns)
                todo = todo[~is_like]
            left.append(self.rows[todo])
        self.left = np.concatenate(left)

    def _step_sizes(self) -> np.ndarray:
        """How many bytes the step takes; 0 where there is none, -1 where no scalar event begins like this."""
        bytes_ = self.bytes
        more = (bytes_[:, 10:20] & 128).astype(bool)
        sizes = np.where(bytes_[:, 9] == 0x10, np.argmin(more, axis=1) + 1, 0)
        is_event = (bytes_[:, 0] == 0x09) & ((bytes_[:, 9] == 0x10) | (bytes_[:, 9] == 0x2A))
        is_event &= ~((bytes_[:, 9] == 0x10) & more.all(axis=1))
        return np.where(is_event, sizes, -1)

    def _is_like(self, layout: Layout, todo: np.ndarray) -> np.ndarray:
        """Which rows have their parts in the same places as the first of them."""
        rows = self._chosen(todo)
        found = np.ones(len(todo), bool)
        for i in (*range(layout.step_end, layout.tag_start), *range(layout.tag_end, layout.value)):
            found &= rows[:, i] == rows[0, i]
        return found

    def _chosen(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the matrix; it itself if they are all, as they often are."""
        return self.bytes if len(rows) == len(self.bytes) else self.bytes[rows]

    def _cut(self, layout: Layout, rows: np.ndarray, size: int, columns: list[Column]) -> list[np.ndarray]:
        """Cut the columns out of rows laid out alike, one tag after the other; gives what is no scalar after all."""
        bytes_ = self._chosen(rows)
        begin, end = layout.value, layout.value + layout.dtype.itemsize
        times = np.ascontiguousarray(bytes_[:, 1:_TIME_END]).view("<f8")[:, 0]
        values = np.ascontiguousarray(bytes_[:, begin:end]).view(layout.dtype)[:, 0].astype(np.float64)
        steps = _steps(bytes_, size)
        fixed = bytes_[:, layout.step_end :].copy()
        fixed[:, begin - layout.step_end : end - layout.step_end] = 0
        left = []
        for group in _groups(_words(fixed)):
            found = self.rows[rows[group]]
            event = bytes_[group[0]].copy()
            event[1:_TIME_END], event[begin:end] = 0, 0
            event[10 : 10 + size] &= 128
            same = _layout_of_many(event.tobytes())
            if same is None:  # a tag that is no text, say
                left.append(found)
            else:
                columns.append(
                    Column(
                        same.tag,
                        same.metadata,
                        same.is_simple,
                        found,
                        steps[group],
                        times[group],
                        values[group],
                    )
                )
        return left


def _steps(bytes_: np.ndarray, size: int) -> np.ndarray:
    found = np.zeros(len(bytes_), np.uint64)
    for i in range(size):
        found |= (bytes_[:, 10 + i] & 127).astype(np.uint64) << np.uint64(7 * i)
    return found.view(np.int64)


def _words(bytes_: np.ndarray) -> np.ndarray:
    """Rows of bytes as rows of 64-bit words."""
    count, length = bytes_.shape
    padded = np.zeros((count, -(-length // 8) * 8), np.uint8)
    padded[:, :length] = bytes_
    return padded.view(np.uint64)


def _groups(words: np.ndarray) -> list[np.ndarray]:
    """The rows that are equal, by a hash and then a comparison."""
    if (words == words[0]).all():
        return [np.arange(len(words))]
    hashes = words @ _WEIGHTS[: words.shape[1]]
    order = np.argsort(hashes, kind="stable")
    cuts = np.flatnonzero(np.diff(hashes[order])) + 1
    found = []
    for group in np.split(order, cuts):
        while group.size:
            is_same = _equal_to_first(words[group])
            found.append(group[is_same])
            group = group[~is_same]
    return found


def _equal_to_first(words: np.ndarray) -> np.ndarray:
    """Which rows are equal to the first; column by column, which is faster than `all` along short rows."""
    found = words[:, 0] == words[0, 0]
    for i in range(1, words.shape[1]):
        found &= words[:, i] == words[0, i]
    return found


_WEIGHTS = np.random.default_rng(0).integers(1, 1 << 63, 512, dtype=np.uint64) | np.uint64(1)


class Layout(NamedTuple):
    """Where the parts of a scalar event are."""

    step_end: int
    tag_start: int
    tag_end: int
    value: int
    dtype: np.dtype
    tag: str
    metadata: bytes
    is_simple: bool


_FLOAT, _DOUBLE = np.dtype("<f4"), np.dtype("<f8")


@lru_cache(maxsize=4096)
def _layout_of_many(event: bytes) -> Layout | None:
    """The layout of events that differ from this one in time, step and value alone: small files have the same tags."""
    return scalar_layout(event)


def scalar_layout(event: bytes) -> Layout | None:
    """The layout of an event with one float scalar in it, or None for any other."""
    try:
        layout = _layout(event)
        if layout is not None:
            message("SummaryMetadata").FromString(layout.metadata)
    except (ValueError, IndexError, DecodeError):  # not well formed: for the general way to judge
        return None
    return layout


def _layout(event: bytes) -> Layout | None:
    step_end = _TIME_END
    summary = None
    for number, kind, begin, end in wire.fields(event, 0, len(event)):
        if (number, kind, begin) == (1, 1, 1):
            continue
        if (number, kind, begin) == (2, 0, 10):
            step_end = end
        elif (number, kind, end) == (5, 2, len(event)) and summary is None:
            summary = (begin, end)
        else:
            return None
    values = list(wire.fields(event, *summary)) if summary else []
    if len(values) != 1 or values[0][:2] != (1, 2):
        return None
    tag = place = None
    metadata, is_simple = b"", False
    for number, kind, begin, end in wire.fields(event, values[0][2], values[0][3]):
        if (number, kind) == (1, 2) and tag is None:
            tag = (begin, end)
        elif (number, kind) == (2, 5) and place is None:
            place, is_simple = (begin, _FLOAT), True
        elif (number, kind) == (8, 2) and place is None:
            place = _float_of_tensor(event, begin, end)
        elif (number, kind) == (9, 2) and not metadata:
            metadata = event[begin:end]
        else:
            return None
    if tag is None or place is None or tag[1] > place[0]:
        return None
    return Layout(step_end, *tag, *place, event[tag[0] : tag[1]].decode(), metadata, is_simple)


def _float_of_tensor(event: bytes, begin: int, end: int) -> tuple[int, np.dtype] | None:
    """Where the number of a scalar TensorProto is: in `tensor_content`, `float_val` or `double_val`."""
    dtype = place = None
    for number, kind, start, stop in wire.fields(event, begin, end):
        if (number, kind) == (1, 0) and event[start] in (1, 2):
            dtype = _FLOAT if event[start] == 1 else _DOUBLE
        elif (number, kind) == (2, 2) and start == stop:
            continue  # a shape without dimensions
        elif number in (4, 5, 6) and kind in (1, 2, 5) and place is None:
            place = (number, start, stop)
        else:
            return None
    if dtype is None or place is None or place[2] - place[1] != dtype.itemsize:
        return None
    if place[0] not in (4, 5 if dtype is _FLOAT else 6):
        return None
    return place[1], dtype
