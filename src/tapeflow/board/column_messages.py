"""Messages in columns: a head in JSON, then columns of float64 that a browser takes as they are."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import orjson

from tapeflow.board.schema import SeriesHead

MIME = "application/vnd.tapeflow.columns"
_MAGIC = b"TFC1"

Points = tuple[np.ndarray, ...]
"""Steps, wall times, values and, if asked for, smoothed values."""


NO_POINTS: Points = (np.zeros(0), np.zeros(0), np.zeros(0))


def head(run: str, tag: str, **facts: Any) -> SeriesHead:
    """What is said about one series: these facts, and of the rest that there is nothing."""
    nothing: SeriesHead = {
        "run": run,
        "tag": tag,
        "length": 0,
        "window_total": 0,
        "total": 0,
        "is_raw": True,
        "missing": False,
        "cursor": "",
        "start_time": None,
        "is_reset": False,
        "has_smoothed": False,
    }
    return cast("SeriesHead", {**nothing, **facts})


def encode(heads: Sequence[SeriesHead], points: Sequence[Points]) -> bytes:
    """One message with all series."""
    return pack({"series": heads}, [column for columns in points for column in columns])


def pack(head: Mapping[str, Any], columns: Iterable[np.ndarray]) -> bytes:
    """A message of any columns, whose lengths the head tells."""
    text = orjson.dumps(head)
    text += b" " * (-len(text) % 8)
    data = [np.ascontiguousarray(column, "<f8").data for column in columns]
    return b"".join([_MAGIC, struct.pack("<I", len(text)), text, *data])


def pack_small(head: Mapping[str, Any], columns: Iterable[np.ndarray]) -> bytes:
    """A message of columns that take as little room as they can; the head says in `columns` how each is written.

    A column of one number again and again is that number, in the head; others are float32 where no bit is lost by
    that, as with values that TensorFlow logs and with most steps, or else float64.
    """
    kinds: list[list[Any]] = []
    data: list[bytes | memoryview] = []
    for column in columns:
        kind, written = _written(np.ascontiguousarray(column, "<f8"))
        kinds.append([kind, len(column), *([written] if kind == "=" else [])])
        if isinstance(written, np.ndarray):
            data += [written.data.cast("B") if len(written) else b"", b"\0" * (-written.nbytes % 8)]
    text = orjson.dumps({**head, "columns": kinds})
    text += b" " * (-len(text) % 8)
    return b"".join([_MAGIC, struct.pack("<I", len(text)), text, *data])


def _written(column: np.ndarray) -> tuple[str, np.ndarray | float | None]:
    """How a column is written: `=` and its number (None for NaN), `f4` or `f8`."""
    if len(column):
        first = float(column[0])
        if np.isfinite(first) and first and (column == first).all():
            return "=", first
        if not column.any() and not np.signbit(column).any():
            return "=", 0.0
        is_nan = np.isnan(column)
        if is_nan.all():
            return "=", None
        with np.errstate(over="ignore", invalid="ignore"):
            small = column.astype("<f4")
        if ((small == column) | is_nan).all():
            return "f4", small
    return "f8", column


def unpack_small(message: bytes) -> tuple[Any, list[np.ndarray]]:
    """The head of such a message, and its columns."""
    head, at = _head(message)
    found = []
    for kind, count, *rest in head["columns"]:
        if kind == "=":
            found.append(np.full(count, np.nan if rest[0] is None else rest[0]))
            continue
        dtype = np.dtype(f"<{kind}")
        found.append(np.frombuffer(message, dtype, count, at).astype(np.float64))
        at += -(-dtype.itemsize * count // 8) * 8
    return head, found


def decode(message: bytes) -> list[tuple[SeriesHead, Points]]:
    """The series of a message."""
    head, at = _head(message)
    found = []
    for one in head["series"]:
        count = one["length"]
        number = 4 if one["has_smoothed"] else 3
        found.append((one, tuple(np.frombuffer(message, "<f8", number * count, at).reshape(number, count))))
        at += 8 * number * count
    return found


def _head(message: bytes) -> tuple[Any, int]:
    """What is said at the head of a message, and where its columns begin."""
    if message[:4] != _MAGIC:
        raise ValueError(f"a message in columns begins with {_MAGIC!r}; got {message[:4]!r}")
    (length,) = struct.unpack_from("<I", message, 4)
    return orjson.loads(message[8 : 8 + length]), 8 + length


def as_json(heads: Sequence[SeriesHead], points: Sequence[Points]) -> dict[str, Any]:
    """The same for scripts: plain JSON, with what is no number in JSON as a string."""
    series = []
    for one, (steps, *others) in zip(heads, points, strict=True):
        names = ("wall_times", "values", "smoothed")[: len(others)]
        columns = {name: numbers(column) for name, column in zip(names, others, strict=True)}
        series.append({**one, "steps": steps.astype(np.int64).tolist(), **columns})
    return {"series": series}


def numbers(values: np.ndarray) -> list[float | str]:
    """Floats for JSON, NaN and infinities as the strings JavaScript's `Number` takes."""
    found: list[float | str] = values.tolist()
    for i in np.flatnonzero(~np.isfinite(values)).tolist():
        value = values[i]
        found[i] = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return found
