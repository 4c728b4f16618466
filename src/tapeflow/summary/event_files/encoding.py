"""Events as bytes. Scalars, which come by the thousand, are put together from ready-made pieces."""

from __future__ import annotations

import math
import struct
from functools import lru_cache

from tapeflow.summary.event_files import wire

FILE_VERSION = "brain.Event:2"
WRITER = "tapeflow.summary.writer"

_TIME = struct.Struct("<cd")
_FLOAT = struct.Struct("<f")


@lru_cache(maxsize=1024)
def metadata(plugin: str, content: bytes = b"", description: str | None = None, data_class: int = 0) -> bytes:
    """A SummaryMetadata, serialised: which plugin shows a tag, what it needs to know, a text on the tag."""
    plugin_data = wire.block(1, plugin.encode()) + (wire.block(2, content) if content else b"")
    found = wire.block(1, plugin_data)
    if description:
        found += wire.block(3, description.encode())
    return found + wire.number(4, data_class)


def version_event(wall_time: float) -> bytes:
    """The first record of every file."""
    source = wire.block(10, wire.block(1, WRITER.encode()))
    return _start(wall_time, 0) + wire.block(3, FILE_VERSION.encode()) + source


def tensor_event(wall_time: float, step: int, tag: str, tensor: bytes, meta: bytes) -> bytes:
    """One tagged tensor; `tensor` and `meta` are serialised already."""
    value = wire.block(1, tag.encode()) + wire.block(8, tensor)
    if meta:
        value += wire.block(9, meta)
    return summary_event(wall_time, step, wire.block(1, value))


def summary_event(wall_time: float, step: int, summary: bytes) -> bytes:
    """A whole Summary, serialised already."""
    return _start(wall_time, step) + wire.block(5, summary)


def graph_event(wall_time: float, graph: bytes) -> bytes:
    """A GraphDef, serialised already."""
    return _start(wall_time, 0) + wire.block(4, graph)


def scalar_event(wall_time: float, step: int, tag: str, value: float, meta: bytes) -> bytes:
    """One tagged float32 scalar."""
    head, tail = _around(tag, meta)
    try:
        number = _FLOAT.pack(value)
    except OverflowError:  # too large for float32
        number = _FLOAT.pack(math.copysign(math.inf, value))
    return _start(wall_time, step) + head + number + tail


@lru_cache(maxsize=16384)
def _around(tag: str, meta: bytes) -> tuple[bytes, bytes]:
    """What stands before and after the four bytes of a scalar."""
    before = wire.block(1, tag.encode()) + b"\x42\x0a\x08\x01\x12\x00\x22\x04"
    after = wire.block(9, meta) if meta else b""
    length = len(before) + 4 + len(after)
    value = b"\x0a" + wire.varint(length)
    return b"\x2a" + wire.varint(len(value) + length) + value + before, after


def _start(wall_time: float, step: int) -> bytes:
    if step:
        return _TIME.pack(b"\x09", wall_time) + b"\x10" + wire.varint(step)
    return _TIME.pack(b"\x09", wall_time)
