"""`tf.summary.histogram`."""

from __future__ import annotations

from functools import partial
from typing import SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import encoding

BUCKETS = 30


def histogram(
    name: str,
    data: npt.ArrayLike,
    step: SupportsInt | None = None,
    buckets: SupportsInt | None = None,
    description: str | None = None,
) -> bool:
    """Write a histogram of the elements of a tensor.

    Args:
        name: the tag; the name scope is put in front of it.
        data: numbers, in any shape.
        step: the step, unless there is a default one.
        buckets: how many buckets of equal width; 30 unless given.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.
    """
    writer = recording_writer()
    if writer is None:
        return False
    count = BUCKETS if buckets is None else max(int(np.asarray(buckets)), 0)
    meta = encoding.metadata("histograms", description=description)
    encode = partial(histogram_buckets, count=count)
    return emit(writer, tag_of(name, "histogram_summary"), data, step, meta, encode, _check)


def _check(shape: tuple[int, ...], dtype: np.dtype) -> None:
    if dtype.kind not in "fiubV":
        raise TypeError(f"tf.summary.histogram expected numbers; got data of dtype {dtype}.")


def histogram_buckets(data: np.ndarray, count: int = BUCKETS) -> np.ndarray:
    """Rows of left edge, right edge and how many: buckets of equal width from the least to the largest.

    If all elements are the same, the edges are that value and the last bucket holds them all. Elements that
    are not finite belong to no bucket.
    """
    values = np.ravel(data).astype(np.float64)
    values = values[np.isfinite(values)]
    if not count or not values.size:
        return np.zeros((count, 3))
    least, largest = values.min(), values.max()
    found = np.empty((count, 3))
    if least == largest:
        found[:] = least, largest, 0
        found[-1, 2] = values.size
        return found
    # Halved where the range itself would overflow; the buckets are the same.
    scale = 0.5 if largest / 2 - least / 2 > np.finfo(np.float64).max / 2 else 1.0
    width = (largest * scale - least * scale) / count
    places = np.minimum(((values * scale - least * scale) / width).astype(np.int64), count - 1)
    edges = np.linspace(least * scale, largest * scale, count + 1) / scale
    edges[-1] = largest
    found[:, 0], found[:, 1] = edges[:-1], edges[1:]
    found[:, 2] = np.bincount(places, minlength=count)
    return found
