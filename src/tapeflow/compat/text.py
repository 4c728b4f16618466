"""`tf.compat.as_str` and its kin: text and bytes turned into one another."""

from __future__ import annotations

import os
from typing import Any

bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Bytes of text, or bytes as they are."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    return bytes(_checked("as_bytes", bytes_or_text))


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Decode bytes to a string; strings are returned unchanged."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    return bytes(_checked("as_text", bytes_or_text)).decode(encoding)


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Decode bytes to a string; strings are returned unchanged."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: object, encoding: str = "utf-8") -> str:
    """Text of bytes, and `str` of anything else."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as a string; other values unchanged."""
    return as_str_any(os.fspath(path)) if isinstance(path, os.PathLike) else path


def _checked(where: str, value: object) -> bytes | bytearray:
    if not isinstance(value, (bytes, bytearray)):
        raise TypeError(
            f"tf.compat.{where} expected binary or unicode string; got {value!r} of type "
            f"{type(value).__name__}. Use str() on it first."
        )
    return value
