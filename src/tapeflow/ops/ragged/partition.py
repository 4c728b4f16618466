"""How values are divided into rows: arrays of places on the host, and indices made of them."""

from __future__ import annotations

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.ops.host_args import invalid, read_value


def read_places(value: TensorLike, where: str, name: str) -> np.ndarray:
    """A vector of integers, such as row splits."""
    array = read_value(value) if isinstance(value, TensorBase) else np.asarray(value)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{where} expected a vector of integers for {name}; got {name} of shape {list(array.shape)} "
            f"({array.dtype})."
        )
    return array


def splits_of_lengths(lengths: np.ndarray) -> np.ndarray:
    """Where rows of these lengths begin, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def check_splits(splits: np.ndarray, count: int, where: str) -> None:
    """Raise unless the splits divide `count` values."""
    if not len(splits) or splits[0] != 0 or (np.diff(splits) < 0).any() or splits[-1] != count:
        raise invalid(
            f"{where} expected row splits from 0 to the number of values, none below the one before it: "
            f"arguments do not form a valid RaggedTensor; got splits {splits.tolist()} for {count} values."
        )


def row_ids(splits: np.ndarray) -> np.ndarray:
    """The row of each value."""
    return np.repeat(np.arange(len(splits) - 1, dtype=np.int64), np.diff(splits))


def ranges(starts: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """`arange(start, limit)` of each pair, one after the other."""
    lengths = np.maximum(limits - starts, 0)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)


def columns(splits: np.ndarray) -> np.ndarray:
    """The number of each value in its row."""
    lengths = np.diff(splits)
    return ranges(np.zeros(len(lengths), np.int64), lengths)
