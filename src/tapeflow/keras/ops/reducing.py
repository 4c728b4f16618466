"""`tf.keras.ops` that make fewer numbers of many: sums, means, extremes, orders, and the same without NaN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import AxisLike
from tapeflow.keras.ops.conversion import alike, floating, tensor
from tapeflow.keras.ops.elementwise import isclose


def _axes(axis: Any) -> Any:
    return list(axis) if isinstance(axis, tuple) else axis


def mean(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The mean."""
    return tf.reduce_mean(floating(x), _axes(axis), keepdims)


def sum(x: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The sum; of truths, their number."""
    x = tensor(x)
    return tf.reduce_sum(tf.cast(x, "int32") if x.dtype is tf.bool else x, _axes(axis), keepdims)


def prod(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """The product."""
    return tf.reduce_prod(tensor(x, dtype), _axes(axis), keepdims)


def std(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The standard deviation."""
    return tf.math.reduce_std(floating(x), _axes(axis), keepdims)


def var(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The variance."""
    return tf.math.reduce_variance(floating(x), _axes(axis), keepdims)


def max(
    x: Any, axis: int | Sequence[int] | None = None, keepdims: bool = False, initial: TensorLike | None = None
) -> Tensor:
    """The largest, at least `initial`."""
    x = tensor(x)
    if x.dtype is tf.bool:
        return any(x, axis, keepdims)
    largest = tf.reduce_max(x, _axes(axis), keepdims)
    return largest if initial is None else tf.maximum(largest, tf.cast(initial, largest.dtype))


def min(
    x: Any, axis: int | Sequence[int] | None = None, keepdims: bool = False, initial: TensorLike | None = None
) -> Tensor:
    """The smallest, at most `initial`."""
    x = tensor(x)
    if x.dtype is tf.bool:
        return all(x, axis, keepdims)
    smallest = tf.reduce_min(x, _axes(axis), keepdims)
    return smallest if initial is None else tf.minimum(smallest, tf.cast(initial, smallest.dtype))


def amax(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The largest."""
    return max(x, axis, keepdims)


def amin(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The smallest."""
    return min(x, axis, keepdims)


def ptp(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """From the smallest to the largest."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def all(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether all are true."""
    return tf.reduce_all(tf.cast(tensor(x), tf.bool), _axes(axis), keepdims)


def any(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether one is true."""
    return tf.reduce_any(tf.cast(tensor(x), tf.bool), _axes(axis), keepdims)


def allclose(
    x1: TensorLike, x2: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether all numbers are about equal."""
    return tf.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


def count_nonzero(x: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """How many are not zero."""
    return tf.reduce_sum(tf.cast(tf.not_equal(tensor(x), 0), "int32"), _axes(axis))


def logsumexp(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The logarithm of the sum of the exponentials."""
    return tf.reduce_logsumexp(floating(x), _axes(axis), keepdims)


def average(x: Tensor, axis: int | None = None, weights: Any = None) -> Tensor:
    """The mean, weighted."""
    if weights is None:
        return mean(x, axis)
    x, weights = map(floating, alike(x, weights))
    if axis is not None and len(weights.shape) == 1 < len(x.shape):
        shape = [1] * len(x.shape)
        shape[axis] = -1
        weights = tf.reshape(weights, shape)
    total = tf.reduce_sum(weights * tf.ones_like(x), _axes(axis))
    return tf.reduce_sum(x * weights, _axes(axis)) / total


def moments(
    x: TensorLike, axes: AxisLike, keepdims: bool = False, synchronized: bool = False
) -> tuple[Any, Any]:
    """The mean and the variance."""
    return mean(x, axes, keepdims), var(x, axes, keepdims)


def argmax(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The place of the largest."""
    return _place(tf.argmax, x, axis, keepdims)


def argmin(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The place of the smallest."""
    return _place(tf.argmin, x, axis, keepdims)


def _place(function: Callable[..., Any], x: Any, axis: int | None, keepdims: bool) -> Tensor:
    x = tensor(x)
    if axis is None:
        places = function(tf.reshape(x, [-1]), 0, "int32")
        return tf.reshape(places, [1] * len(x.shape)) if keepdims else places
    places = function(x, axis, "int32")
    return tf.expand_dims(places, axis) if keepdims else places


def cumsum(x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Sums of what came so far."""
    x, axis = _along(tensor(x, dtype), axis)
    return tf.cumsum(x, axis)


def cumprod(x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Products of what came so far."""
    x, axis = _along(tensor(x, dtype), axis)
    return tf.math.cumprod(x, axis)


def _along(x: Tensor, axis: int | None) -> tuple[Any, int]:
    return (tf.reshape(x, [-1]), 0) if axis is None else (x, axis)


def sort(x: TensorLike, axis: int | None = -1) -> Tensor:
    """In ascending order."""
    return tf.sort(*_along(tensor(x), axis))


def argsort(x: TensorLike, axis: int | None = -1) -> Tensor:
    """Places in ascending order of what is there; equals stay in theirs."""
    return tf.argsort(*_along(tensor(x), axis), stable=True)


def argpartition(x: TensorLike, kth: int, axis: int | None = -1) -> Tensor:
    """Places in an order that has smaller elements before the `kth` and greater ones after it: the sorted one."""
    return argsort(x, axis)


def top_k(x: TensorLike, k: int, sorted: bool = True) -> Any:
    """The largest `k` along the last axis, and their places."""
    return tf.math.top_k(tensor(x), k, sorted)


def in_top_k(targets: TensorLike, predictions: TensorLike, k: int) -> Tensor:
    """Whether the target is among the `k` most likely classes."""
    return tf.math.in_top_k(tensor(targets), tensor(predictions), k)


def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """The numbers below which shares `q` of the others lie."""
    x, q = floating(x), tensor(q)
    kept = list(range(len(x.shape))) if axis is None else [a % len(x.shape) for a in np.atleast_1d(axis)]
    rest = [a for a in range(len(x.shape)) if a not in kept]
    sizes = x.shape
    count = int(np.prod([sizes[a] for a in kept]))
    flat = tf.reshape(
        tf.transpose(x, [*rest, *kept]), [*[-1 if sizes[a] is None else sizes[a] for a in rest], count]
    )
    ordered = tf.sort(flat, -1)
    place = tf.cast(tf.reshape(q, [-1]), x.dtype) * (count - 1)
    low, high = tf.floor(place), tf.math.ceil(place)
    choose = {
        "linear": lambda: place - low,
        "lower": lambda: tf.zeros_like(place),
        "higher": lambda: tf.ones_like(place),
        "midpoint": lambda: tf.where(
            tf.equal(low, high), tf.zeros_like(place), tf.fill(tf.shape(place), 0.5)
        ),
        "nearest": lambda: tf.round(place) - low,
    }
    if method not in choose:
        raise ValueError(
            f"tf.keras.ops.quantile expected method to be one of {sorted(choose)}; got method={method!r}. "
            "Use 'linear'."
        )
    share = tf.cast(choose[method](), x.dtype)
    below, above = (tf.gather(ordered, tf.cast(end, "int32"), axis=-1) for end in (low, high))
    values = below + (above - below) * share
    values = tf.transpose(values, [len(rest), *range(len(rest))])
    if keepdims:
        for a in sorted(kept):
            values = tf.expand_dims(values, a + 1)
    return values if len(q.shape) else values[0]


def percentile(
    x: TensorLike,
    q: TensorLike,
    axis: int | Sequence[int] | None = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """`quantile` of hundredths."""
    return quantile(x, floating(q) / 100.0, axis, method, keepdims)


def median(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The number in the middle."""
    return quantile(x, 0.5, axis, keepdims=keepdims)


def bincount(x: Tensor, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """How often each number occurs."""
    x = tensor(x)
    axis = -1 if len(x.shape) > 1 else None
    given = None if weights is None else tensor(weights)
    counts = tf.math.bincount(x, weights=given, minlength=minlength, axis=axis)
    return tf.sparse.from_dense(counts) if sparse else counts


def digitize(x: TensorLike, bins: Any) -> Tensor:
    """The number of the bin between edges."""
    x, edges = alike(x, bins)
    flat = tf.searchsorted(edges, tf.reshape(x, [-1]), side="right")
    return tf.reshape(flat, tf.shape(x))


def searchsorted(sorted_sequence: Any, values: TensorLike, side: str = "left") -> Tensor:
    """Where values would go in a sorted sequence."""
    sequence, wanted = alike(sorted_sequence, values)
    return tf.reshape(tf.searchsorted(sequence, tf.reshape(wanted, [-1]), side=side), tf.shape(wanted))


def histogram(x: TensorLike, bins: int = 10, range: Any = None) -> tuple[Any, Any]:
    """How many numbers lie in each of `bins` bins of equal width, and the edges of these."""
    x = tf.reshape(floating(x), [-1])
    low, high = (tf.reduce_min(x), tf.reduce_max(x)) if range is None else map(floating, range)
    edges = tf.linspace(tf.cast(low, x.dtype), tf.cast(high, x.dtype), bins + 1)
    inside = tf.logical_and(x >= edges[0], x <= edges[-1])
    places = tf.minimum(tf.searchsorted(edges, x, side="right") - 1, bins - 1)
    counted = tf.one_hot(places, bins) * tf.expand_dims(tf.cast(inside, "float32"), -1)
    return tf.cast(tf.reduce_sum(counted, 0), "int32"), edges


def segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Tensor:
    """The sum of the rows of each segment."""
    return tf.math.unsorted_segment_sum(tensor(data), tensor(segment_ids), _count(segment_ids, num_segments))


def segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Tensor:
    """The largest of the rows of each segment."""
    return tf.math.unsorted_segment_max(tensor(data), tensor(segment_ids), _count(segment_ids, num_segments))


def segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Tensor:
    """The smallest of the rows of each segment."""
    return tf.math.unsorted_segment_min(tensor(data), tensor(segment_ids), _count(segment_ids, num_segments))


def segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Tensor:
    """The product of the rows of each segment."""
    return tf.math.unsorted_segment_prod(tensor(data), tensor(segment_ids), _count(segment_ids, num_segments))


def _count(segment_ids: Any, num_segments: int | None) -> Any:
    return int(tf.reduce_max(tensor(segment_ids))) + 1 if num_segments is None else num_segments


def _without_nan(function: Callable[..., Any], neutral: float) -> Callable[..., Any]:
    def call(x: TensorLike, axis: AxisLike | None = None, keepdims: bool = False) -> Tensor:
        return function(_filled(x, neutral), axis, keepdims)

    call.__doc__ = f"{function.__doc__} NaN does not count."
    return call


def _filled(x: Any, neutral: float) -> Tensor:
    x = floating(x)
    return tf.where(tf.math.is_nan(x), tf.constant(neutral, x.dtype), x)


nansum = _without_nan(sum, 0.0)
nanprod = _without_nan(prod, 1.0)
nanmax = _without_nan(max, -np.inf)
nanmin = _without_nan(min, np.inf)
nanargmax = _without_nan(argmax, -np.inf)
nanargmin = _without_nan(argmin, np.inf)


def nanmean(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The mean. NaN does not count."""
    counted = tf.cast(tf.logical_not(tf.math.is_nan(floating(x))), floating(x).dtype)
    return nansum(x, axis, keepdims) / tf.reduce_sum(counted, _axes(axis), keepdims)


def nanvar(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The variance. NaN does not count."""
    return nanmean(tf.square(floating(x) - nanmean(x, axis, True)), axis, keepdims)


def nanstd(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The standard deviation. NaN does not count."""
    return tf.sqrt(nanvar(x, axis, keepdims))


def nancumsum(x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Sums of what came so far. NaN does not count."""
    return cumsum(_filled(x, 0.0), axis, dtype)


def nancumprod(x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Products of what came so far. NaN does not count."""
    return cumprod(_filled(x, 1.0), axis, dtype)


def trapezoid(y: TensorLike, x: TensorLike | None = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The area below straight lines between points."""
    heights = tf.experimental.numpy.moveaxis(floating(y), axis, -1)
    if x is None:
        widths: Any = tf.cast(dx, heights.dtype)
    else:
        places = tf.cast(tensor(x), heights.dtype)
        if len(places.shape) > 1:
            places = tf.experimental.numpy.moveaxis(places, axis, -1)
        widths = places[..., 1:] - places[..., :-1]
    return tf.reduce_sum(widths * (heights[..., 1:] + heights[..., :-1]) / 2.0, axis=-1)


def isin(x1: TensorLike, x2: TensorLike, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each is among the elements of `x2`."""
    one, two = alike(x1, x2)
    is_in = tf.reduce_any(tf.equal(tf.expand_dims(one, -1), tf.reshape(two, [-1])), -1)
    return tf.logical_not(is_in) if invert else is_in
