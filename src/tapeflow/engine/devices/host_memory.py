"""Arrays of the host that programs on a CPU read in place.

XLA reads an array where it lies if it begins at a multiple of 64 bytes, and copies it first if not; numpy's own begin
at multiples of 16. Whatever is copied on its way into a program anyway is copied to such a place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_ALIGNMENT = 64
_SMALL = 1 << 12  # bytes whose second copy costs less than finding the place


def empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array whose elements are not set yet."""
    nbytes = dtype.itemsize
    for size in shape:
        nbytes *= size
    if nbytes < _SMALL or dtype.kind == "O":
        return np.empty(shape, dtype)
    memory = np.empty(nbytes + _ALIGNMENT, np.uint8)
    return np.ndarray(shape, dtype, memory, -memory.__array_interface__["data"][0] % _ALIGNMENT)


def copied(array: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """A copy, which may have another dtype."""
    copy = empty(array.shape, dtype or array.dtype)
    copy[...] = array
    return copy


def taken(array: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows of an array, which must exist, in one array."""
    taken_rows = empty((len(rows), *array.shape[1:]), array.dtype)
    # Indices out of range would make numpy fill an array of its own first, in case it has to raise.
    return array.take(rows, axis=0, out=taken_rows, mode="clip")


def stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays of one shape and dtype as the rows of one."""
    return np.stack(arrays, out=empty((len(arrays), *arrays[0].shape), arrays[0].dtype))
