"""Messages of arrays: a head in JSON, then float32 and uint32 columns that a browser takes as they are."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson

MIME = "application/vnd.tapeflow.arrays"
_MAGIC = b"TFA1"


def pack(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One message; arrays are float32 or uint32 and of one dimension."""
    described = [
        {"name": name, "dtype": "u4" if array.dtype.kind == "u" else "f4", "length": len(array)}
        for name, array in arrays.items()
    ]
    text = orjson.dumps({**head, "arrays": described})
    text += b" " * (-len(text) % 8)
    parts: list[bytes | memoryview] = [_MAGIC, struct.pack("<I", len(text)), text]
    for array, entry in zip(arrays.values(), described, strict=True):
        data = np.ascontiguousarray(array, f"<{entry['dtype']}").tobytes()
        parts += [data, b"\0" * (-len(data) % 8)]
    return b"".join(parts)


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Head and arrays of a message."""
    if message[:4] != _MAGIC:
        raise ValueError(f"a message of arrays begins with {_MAGIC!r}; got {message[:4]!r}")
    (length,) = struct.unpack_from("<I", message, 4)
    head, at = orjson.loads(message[8 : 8 + length]), 8 + length
    arrays = {}
    for entry in head["arrays"]:
        arrays[entry["name"]] = np.frombuffer(message, f"<{entry['dtype']}", entry["length"], at)
        at += -(-4 * entry["length"] // 8) * 8
    return head, arrays
