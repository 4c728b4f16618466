"""Buckets as the page takes them, whatever wrote them, and their percentiles."""

from __future__ import annotations

import numpy as np

from tapeflow.board.api.histograms.schema import HistogramBlob
from tapeflow.summary.event_files.values import Value

BASIS_POINTS = np.array([0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000])
"""Hundredths of a percent: where a normal distribution has its extremes, ±1.5, ±1 and ±0.5 deviations and middle."""
MOST_BUCKETS = 2000


def is_histogram(array: np.ndarray) -> bool:
    """Whether an array is rows of left edge, right edge and count."""
    return array.ndim == 2 and array.shape[1] == 3 and array.dtype.kind in "fiubV"


def buckets_of(array: np.ndarray) -> np.ndarray:
    """Rows of left edge, right edge and count, by rising edges, finite, and not too many: [k, 3] of float64.

    A file may hold anything: what is no bucket is left out, and of very many neighbours are put together.
    """
    if not is_histogram(array):
        return np.zeros((0, 3))
    found = array.astype(np.float64)
    left, right, count = found.T
    is_sound = (right >= left) & (left > -np.inf) & (right < np.inf) & (count >= 0) & (count < np.inf)
    if not is_sound.all():
        found = found[is_sound]
    if (found[1:, 0] < found[:-1, 0]).any():
        found = found[np.argsort(found[:, 0], kind="stable")]
    return found if len(found) <= MOST_BUCKETS else _put_together(found)


def _put_together(buckets: np.ndarray) -> np.ndarray:
    starts = np.arange(0, len(buckets), -(-len(buckets) // MOST_BUCKETS))
    right = np.maximum.reduceat(buckets[:, 1], starts)
    return np.stack([buckets[starts, 0], right, np.add.reduceat(buckets[:, 2], starts)], axis=1)


def percentiles(buckets: np.ndarray) -> np.ndarray:
    """The values below which the basis points lie, as if counts were spread evenly over their buckets.

    As TensorBoard has them: 0 where there is no bucket, the largest edge where all are empty.

    Args:
        buckets: one histogram, [k, 3], or several of as many buckets, [n, k, 3].
    """
    *several, k, _ = buckets.shape
    if not k:
        return np.zeros((*several, len(BASIS_POINTS)))
    least, largest = buckets[..., :1, 0], buckets[..., -1:, 1]
    rights, counts = buckets[..., 1], buckets[..., 2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # a file may hold anything
        total = counts.sum(axis=-1, keepdims=True)
        until = (counts * BASIS_POINTS[-1] / np.where(total, total, 1.0)).cumsum(axis=-1)
        place = (until[..., None, :] <= BASIS_POINTS[:, None]).sum(axis=-1)
        is_inside = place < k
        place = np.minimum(place, k - 1)
        last = np.maximum(place - 1, 0)
        before = np.where(place > 0, np.take_along_axis(until, last, -1), 0.0)
        start = np.where(before > 0, np.maximum(np.take_along_axis(rights, last, -1), least), least)
        width = np.minimum(np.take_along_axis(rights, place, -1), largest) - start
        found = start + (BASIS_POINTS - before) * width / (np.take_along_axis(until, place, -1) - before)
    return np.where(is_inside, found, largest)


def histogram_blob(value: Value) -> HistogramBlob:
    """One histogram as JSON."""
    buckets = buckets_of(value.array)
    return {"buckets": buckets.tolist(), "percentiles": percentiles(buckets).tolist()}
