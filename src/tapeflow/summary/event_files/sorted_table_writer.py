"""Writes what `sorted_table` reads: a sorted table of LevelDB's format, as TensorFlow's checkpoints have one."""

from __future__ import annotations

from collections.abc import Iterable

from tapeflow.summary.event_files.records import masked_crc
from tapeflow.summary.event_files.sorted_table import FOOTER_BYTES, MAGIC
from tapeflow.summary.event_files.wire import varint

_BLOCK_BYTES = 1 << 18
_RESTART_INTERVAL = 16
_NOT_COMPRESSED = b"\0"


def table_of(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of keys and values.

    Raises:
        ValueError: a key does not come after the one before it.
    """
    written, index, block = bytearray(), _Block(), _Block()
    for key, value in entries:
        if block.last is not None and key <= block.last:
            raise ValueError(f"A table expected keys in order; got {key!r} after {block.last!r}.")
        if block.size >= _BLOCK_BYTES:
            index.add(block.last or b"", _append(written, block))
            block = _Block()
        block.add(key, value)
    if block.last is not None:
        index.add(block.last, _append(written, block))
    meta = _append(written, _Block())
    footer = meta + _append(written, index)
    return bytes(written) + footer.ljust(FOOTER_BYTES - len(MAGIC), b"\0") + MAGIC


def _append(written: bytearray, block: _Block) -> bytes:
    """Add a block and its trailer; returns where it is."""
    data = block.finished()
    place = varint(len(written)) + varint(len(data))
    written += data + _NOT_COMPRESSED
    written += masked_crc(data + _NOT_COMPRESSED).to_bytes(4, "little")
    return place


class _Block:
    """Entries one after the other; a key is given by how it differs from the one before, except at restarts."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._restarts: list[int] = []
        self._count = 0
        self.last: bytes | None = None

    @property
    def size(self) -> int:
        return len(self._data)

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count % _RESTART_INTERVAL == 0:
            self._restarts.append(len(self._data))
        elif self.last is not None:
            shared = _shared(self.last, key)
        own = key[shared:]
        self._data += varint(shared) + varint(len(own)) + varint(len(value)) + own + value
        self._count += 1
        self.last = key

    def finished(self) -> bytes:
        restarts = self._restarts or [0]
        places = b"".join(place.to_bytes(4, "little") for place in [*restarts, len(restarts)])
        return bytes(self._data) + places


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes two keys begin with together."""
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return i
    return min(len(one), len(other))
