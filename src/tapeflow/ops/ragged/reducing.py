"""Sums and their kin over the rows and columns of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.dtypes import int32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import creation
from tapeflow.ops.host_args import read_axis, read_ints
from tapeflow.ops.math import arithmetic, casting, comparison, reduction, segment
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.tensor import RaggedTensor

_SEGMENTS: dict[str, Callable[..., Tensor]] = {
    "reduce_sum": segment.unsorted_segment_sum,
    "reduce_prod": segment.unsorted_segment_prod,
    "reduce_max": segment.unsorted_segment_max,
    "reduce_min": segment.unsorted_segment_min,
}


def reduce(name: str, value: RaggedTensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """`tf.reduce_...` of a ragged tensor."""
    where = f"tf.{name}"
    if name in ("reduce_variance", "reduce_std"):
        mean = reduce("reduce_mean", value * value, axis, keepdims)
        centre = reduce("reduce_mean", value, axis, keepdims)
        variance = mean - centre * centre
        return variance if name == "reduce_variance" else variance**0.5
    if axis is None:
        return getattr(reduction, name)(value.flat_values, None, keepdims)
    rank = len(value.shape)
    places = sorted({read_axis(a, rank, where) for a in read_ints(axis, where, "axis", scalar=True)})
    if name in ("reduce_any", "reduce_all"):
        numbers = value.with_flat_values(casting.cast(value.flat_values, int32))
        found = _over(numbers, places, "reduce_sum" if name == "reduce_any" else "reduce_prod", keepdims)
        return _flat(lambda v: comparison.greater(v, 0), found)
    if name == "reduce_mean":
        # An integer's mean is a quotient, hence float64, as in TensorFlow.
        ones = value.mapped(creation.ones_like)
        total, count = (_over(v, places, "reduce_sum", keepdims) for v in (value, ones))
        return _quotient(total, count)
    return _over(value, places, name, keepdims)


def _quotient(total: Tensor, count: Tensor) -> Tensor:
    if isinstance(total, Tensor):
        return arithmetic.truediv(total, count)
    return total.with_flat_values(arithmetic.truediv(total.flat_values, count.flat_values))


def _flat(function: Callable[[Tensor], Tensor], value: Any) -> Any:
    return (
        function(value) if isinstance(value, Tensor) else value.with_flat_values(function(value.flat_values))
    )


def _over(value: Any, places: list[int], name: str, keepdims: bool) -> Any:
    from tapeflow.ops.ragged.arranging import expand_dims  # cycle

    for place in reversed(places):
        value = _once(value, place, name)
        if keepdims:
            value = expand_dims(value, place)
    return value


def _once(value: RaggedTensor | Tensor, axis: int, name: str) -> Any:
    if isinstance(value, Tensor):
        return getattr(reduction, name)(value, axis)
    if axis > 1:
        return value.with_values(_once(value._values, axis - 1, name))
    splits = value._places
    if axis == 1:
        ids, count = partition.row_ids(splits), len(splits) - 1
    else:
        ids, count = partition.columns(splits), int(np.diff(splits).max(initial=0))
    values, ids = value._for_sums(ids)
    return _segments(_SEGMENTS[name], values, ids, count)


def _segments(function: Callable[..., Tensor], values: Tensor, ids: np.ndarray, count: int) -> Tensor:
    """Rows with one id, put together; ragged rows as far as the longest of them goes."""
    if isinstance(values, Tensor):
        return function(values, ids, count)
    lengths = np.zeros(count, np.int64)
    np.maximum.at(lengths, ids, np.diff(values._places))
    places = partition.splits_of_lengths(lengths)
    within = np.repeat(places[:-1][ids], np.diff(values._places)) + partition.columns(values._places)
    inner = _segments(function, values._values, within, int(places[-1]))
    return RaggedTensor(inner, places, values._places_dtype)
