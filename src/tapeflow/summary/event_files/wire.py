"""The protobuf wire format, as much of it as events take."""

from __future__ import annotations

from collections.abc import Iterator

_ALL = 0xFFFFFFFFFFFFFFFF


def varint(value: int) -> bytes:
    """An integer; a negative one takes ten bytes, as int64 does."""
    value &= _ALL
    if value < 128:
        return bytes((value,))
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def block(number: int, data: bytes) -> bytes:
    """A field of bytes: a string, a message or packed numbers."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def number(number: int, value: int) -> bytes:
    """An integer field; zero, the default, is left out."""
    return varint(number << 3) + varint(value) if value else b""


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """An integer and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a varint of more than ten bytes")


_FIXED = {1: 8, 5: 4}


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message between two places: number, wire type, where the value begins and ends.

    Raises:
        ValueError or IndexError: it is no message.
    """
    while at < end:
        key, at = read_varint(data, at)
        kind = key & 7
        begin = at
        if kind == 2:
            length, begin = read_varint(data, at)
            at = begin + length
        elif kind == 0:
            _, at = read_varint(data, at)
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            raise ValueError(f"wire type {kind}")
        if at > end:
            raise ValueError("a field that runs over the end of its message")
        yield key >> 3, kind, begin, at
