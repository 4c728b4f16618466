"""TFRecord framing: length, checksum of the length, data, checksum of the data.

The checksums are CRC32C, rotated and shifted ("masked") so that a file holding records can itself be a record.
"""

from __future__ import annotations

import struct
from functools import lru_cache

from google_crc32c import value as crc32c

HEADER_SIZE = 12
FOOTER_SIZE = 4

_LENGTH = struct.Struct("<Q")
_CHECKSUM = struct.Struct("<I")
_MASK = 0xA282EAD8


def masked_crc(data: bytes) -> int:
    """The checksum a record stores for these bytes."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


@lru_cache(maxsize=4096)
def header(length: int) -> bytes:
    """What precedes a record of so many bytes."""
    packed = _LENGTH.pack(length)
    return packed + _CHECKSUM.pack(masked_crc(packed))


def record(data: bytes) -> bytes:
    """Data as one record."""
    return header(len(data)) + data + _CHECKSUM.pack(masked_crc(data))
