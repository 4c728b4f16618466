"""Sequences of one length: `pad_sequences`."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

import numpy as np


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: str = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """An array of all sequences, shorter ones filled up with `value` and longer ones cut.

    Args:
        sequences: a list of lists or arrays; their elements may be arrays of one shape.
        maxlen: the length of all; by default that of the longest.
        dtype: of the result; `object` for strings of any length.
        padding: 'pre' to fill up at the beginning, 'post' at the end.
        truncating: 'pre' to cut off the beginning, 'post' the end.
        value: what to fill up with.

    >>> tf.keras.utils.pad_sequences([[1], [2, 3]])
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    if not isinstance(sequences, Iterable):
        raise ValueError("`sequences` must be iterable.")
    for name, side in (("Padding", padding), ("Truncating", truncating)):
        if side not in ("pre", "post"):
            raise ValueError(f'{name} type "{side}" not understood. Expected "pre" or "post".')
    if isinstance(value, str) and dtype is not object and not np.issubdtype(dtype, np.str_):
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\n"
            "You should set `dtype=object` for variable length strings."
        )
    rows: list[Any] = list(sequences)
    for row in rows:
        if not isinstance(row, Sized):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {row}")
    length = max((len(row) for row in rows), default=0) if maxlen is None else maxlen
    shape = next((np.asarray(row).shape[1:] for row in rows if len(row)), ())
    padded = np.full((len(rows), length, *shape), value, dtype=dtype)
    for index, row in enumerate(rows):
        kept = row[:length] if truncating == "post" else row[max(len(row) - length, 0) :]
        if not len(kept):
            continue
        kept = np.asarray(kept, dtype=dtype)
        if kept.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {kept.shape[1:]} of sequence at position {index} is different from "
                f"expected shape {shape}"
            )
        start = 0 if padding == "post" else length - len(kept)
        padded[index, start : start + len(kept)] = kept
    return padded
