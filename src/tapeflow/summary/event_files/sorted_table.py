"""The index of a TensorFlow checkpoint: a sorted table of LevelDB's format.

Blocks of entries, whose keys are given by what differs from the one before, then a block that says where those are,
and a footer that says where that one is. Every block has a checksum. What is put together is bounded, since a few
bytes can stand for many: blocks may not overlap, keys must grow, and there is a limit to what they take in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tapeflow.summary.event_files.records import masked_crc
from tapeflow.summary.event_files.wire import read_varint

FOOTER_BYTES = 48
MAGIC = (0xDB4775248B80FB57).to_bytes(8, "little")
_TRAILER_BYTES = 5  # how it is compressed, and the checksum
_MOST_KEY_BYTES = 1 << 28


def is_table(path: Path) -> bool:
    """Whether a file ends as tables do."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - len(MAGIC)))
        return file.read() == MAGIC


def table_entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a table, in order.

    Raises:
        ValueError: it is damaged or no table.
    """
    try:
        yield from _Table(data).entries()
    except IndexError as error:
        raise ValueError("its index ends too early") from error


class _Table:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._room = len(data) - FOOTER_BYTES
        self._key_bytes = 0  # that have been put together so far
        if self._room < 0 or not data.endswith(MAGIC):
            raise ValueError("its index has no footer")

    def entries(self) -> Iterator[tuple[bytes, bytes]]:
        _, at = _handle(self._data, self._room)
        place, _ = _handle(self._data, at)
        last: bytes | None = None
        free = 0
        for _, handle in self._block(*place):
            (begin, size), _ = _handle(handle, 0)
            if begin < free:
                raise ValueError("blocks of its index overlap")
            free = begin + size
            for key, value in self._block(begin, size):
                if last is not None and key <= last:
                    raise ValueError("the keys of its index are not in order")
                last = key
                yield key, value

    def _block(self, begin: int, size: int) -> Iterator[tuple[bytes, bytes]]:
        data, end = self._data, begin + size
        if size < 4 or end + _TRAILER_BYTES > self._room:
            raise ValueError("a block of its index lies outside of it")
        if masked_crc(data[begin : end + 1]) != int.from_bytes(
            data[end + 1 : end + _TRAILER_BYTES], "little"
        ):
            raise ValueError("a block of its index has changed since it was written")
        if data[end]:
            raise ValueError("its index is compressed, which TensorFlow's are not")
        restarts = int.from_bytes(data[end - 4 : end], "little")  # places to begin a search at
        end -= 4 * (restarts + 1)
        key, at = b"", begin
        while at < end:
            shared, at = read_varint(data, at)
            own, at = read_varint(data, at)
            length, at = read_varint(data, at)
            self._key_bytes += shared + own
            if shared > len(key) or at + own + length > end or self._key_bytes > _MOST_KEY_BYTES:
                raise ValueError("an entry of its index lies outside of it")
            key = key[:shared] + data[at : at + own]
            at += own
            yield key, data[at : at + length]
            at += length


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    """Where a block begins and how long it is; and where that ends."""
    begin, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (begin, size), at
