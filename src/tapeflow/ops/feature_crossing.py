"""Combinations of categories as numbers of buckets, by the hash of TensorFlow's feature crosses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tapeflow.engine.convert import convert_to_tensor
from tapeflow.engine.dtypes import string
from tapeflow.engine.tensor import Tensor
from tapeflow.ops.text import read_strings
from tapeflow.ops.text_hashing import fingerprint64

_MASK = (1 << 64) - 1
_MUL = 0xC6A4A7935BD1E995
_SEED = 0xDECAFCAFFE


def crossed_buckets(columns: Sequence[Tensor], count: int) -> Tensor:
    """The bucket of what stands at each place of the columns, all of one shape: integers or strings."""
    found = [_SEED] * int(np.prod(columns[0].spec.shape))
    for column in columns:
        found = [joined(a, b) for a, b in zip(found, _numbers(column), strict=True)]
    return convert_to_tensor(np.array([n % count for n in found], np.int64).reshape(columns[0].spec.shape))


def _numbers(column: Tensor) -> list[int]:
    if column.dtype is string:
        return [fingerprint64(text) for text in read_strings(column, "HashedCrossing").reshape(-1)]
    return [int(n) & _MASK for n in column.numpy().reshape(-1)]


def joined(first: int, second: int) -> int:
    """TensorFlow's fingerprint of two fingerprints; their order matters."""
    mixed = _shifted(second * _MUL & _MASK) * _MUL & _MASK
    found = (first ^ _MUL ^ mixed) * _MUL & _MASK
    return _shifted(_shifted(found) * _MUL & _MASK)


def _shifted(value: int) -> int:
    return value ^ (value >> 47)
