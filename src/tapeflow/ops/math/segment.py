"""Segments: reductions over groups of rows that share an id.

`segment_*` takes ids in order and finds the number of segments by reading them;
`unsorted_segment_*` takes ids in any order and the number of segments, and leaves rows with a
negative id out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import INEXACT, INTEGER, NUMERIC, REAL, Domain
from tapeflow.ops.host_args import describe, invalid, read_int, read_value
from tapeflow.ops.math.arithmetic import as_fractions

lax = jax.lax


def _add(data: jax.Array, ids: jax.Array, size: int) -> jax.Array:
    """Rows of each segment added up; ids of `size` are dropped."""
    return jnp.zeros((size, *data.shape[1:]), data.dtype).at[ids].add(data, mode="drop")


def _take(values: jax.Array, ids: jax.Array) -> jax.Array:
    """For each row the value of its segment; zeros for a dropped row."""
    return values.at[ids].get(mode="fill", fill_value=0)


def _members(data: jax.Array, ids: jax.Array, size: int, dtype: Any) -> jax.Array:
    """How many rows each segment has, in a shape that broadcasts against the result."""
    counts = _add(jnp.ones(ids.shape, dtype), ids, size)
    return counts.reshape(size, *[1] * (data.ndim - 1))


def _extreme(is_max: bool) -> Callable[..., Any]:
    """The largest or smallest of each segment; a tie shares its gradient evenly."""

    def primal(data: jax.Array, ids: jax.Array, size: int) -> jax.Array:
        if data.dtype in INTEGER:
            info: Any = jnp.iinfo(data.dtype)
        else:
            info = jnp.finfo(data.dtype)
        start = jnp.full((size, *data.shape[1:]), info.min if is_max else info.max, data.dtype)
        rows = start.at[ids]
        return rows.max(data, mode="drop") if is_max else rows.min(data, mode="drop")

    extreme = jax.custom_jvp(primal, nondiff_argnums=(2,))

    @extreme.defjvp
    def extreme_jvp(
        size: int, primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
    ) -> tuple[jax.Array, jax.Array]:
        (data, ids), (tangent, _) = primals, tangents
        found = extreme(data, ids, size)
        is_found = (data == _take(found, ids)).astype(data.dtype)
        count = jnp.maximum(_add(is_found, ids, size), 1)
        return found, _add(is_found * tangent, ids, size) / count

    return extreme


def _prod_primal(data: jax.Array, ids: jax.Array, size: int) -> jax.Array:
    return jnp.ones((size, *data.shape[1:]), data.dtype).at[ids].multiply(data, mode="drop")


_prod = jax.custom_jvp(_prod_primal, nondiff_argnums=(2,))


@_prod.defjvp
def _prod_jvp(
    size: int, primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    (data, ids), (tangent, _) = primals, tangents
    is_zero = data == 0
    filled = jnp.where(is_zero, 1, data)
    zeros = _take(_add(is_zero.astype(data.dtype), ids, size), ids)
    # Of each row, the product of its segment's other rows: nothing if another one is zero.
    others = _take(_prod(filled, ids, size), ids) / filled
    others = jnp.where(zeros - is_zero.astype(data.dtype) > 0, jnp.zeros((), data.dtype), others)
    return _prod(data, ids, size), _add(others * tangent, ids, size)


def _mean(data: jax.Array, ids: jax.Array, size: int) -> jax.Array:
    if data.dtype in INTEGER:
        count = jnp.maximum(_members(data, ids, size, jnp.int64), 1)
        total = _add(data.astype(jnp.int64), ids, size)
        return lax.div(*jnp.broadcast_arrays(total, count)).astype(data.dtype)
    return _add(data, ids, size) / jnp.maximum(_members(data, ids, size, data.dtype), 1)


def _unsorted_mean(data: jax.Array, ids: jax.Array, size: int) -> jax.Array:
    return _mean(as_fractions(data), ids, size)


def _sqrt_n(data: jax.Array, ids: jax.Array, size: int) -> jax.Array:
    members = jnp.maximum(_members(data, ids, size, data.dtype), 1)
    return _add(data, ids, size) / lax.sqrt(members)


def _zero_if_empty(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, but 0 for segments without a row."""

    def filled(data: jax.Array, ids: jax.Array, size: int) -> Any:
        is_empty = _members(data, ids, size, jnp.int32) == 0
        return jnp.where(is_empty, jnp.zeros((), data.dtype), function(data, ids, size))

    return filled


def _segments(name: str, domain: Domain, function: Callable[..., Any]) -> Op:
    def kernel(data: jax.Array, ids: jax.Array, *, size: int) -> jax.Array:
        domain.check(name, data=data)
        data = data.reshape(ids.size, *data.shape[ids.ndim :])
        ids = ids.reshape(-1)
        return function(data, jnp.where(ids < 0, size, ids), size)

    kernel.__name__ = name
    return op(
        name=name,
        same_dtype=False,
        check=index_check(arg=1, limit=lambda arrays, statics: statics["size"], lowest=-(2**62)),
        check_text="{op} expected every segment id below {limit}, the number of segments; got "
        "{value}. The id is out of range: raise num_segments.",
    )(kernel)


_larger, _smaller = _extreme(True), _extreme(False)
_sum_op = _segments("SegmentSum", NUMERIC, _add)
_prod_op = _segments("SegmentProd", NUMERIC, _prod)
_max_op = _segments("SegmentMax", REAL, _larger)
_min_op = _segments("SegmentMin", REAL, _smaller)
_filled_max_op = _segments("SegmentMax", REAL, _zero_if_empty(_larger))
_filled_min_op = _segments("SegmentMin", REAL, _zero_if_empty(_smaller))
_mean_op = _segments("SegmentMean", NUMERIC, _mean)
_unsorted_mean_op = _segments("SegmentMean", NUMERIC, _unsorted_mean)
_sqrt_n_op = _segments("SegmentSqrtN", INEXACT, _sqrt_n)


def _sorted(segments: Op, where: str, data: TensorLike, segment_ids: TensorLike) -> Tensor:
    data, ids = convert_to_tensor(data), _read_ids(where, segment_ids)
    if ids.ndim != 1 or ids.spec.shape != data.spec.shape[:1]:
        raise invalid(
            f"{where} expected segment_ids to be a vector of the same size as dimension 0 of data; "
            f"got segment_ids {describe(ids)} and data {describe(data)}. Pass one id for each row."
        )
    values = read_value(ids)
    if values.size and (values[0] < 0 or np.any(np.diff(values) < 0)):
        raise invalid(
            f"{where} expected segment ids of at least 0 and in order; got "
            f"segment_ids={values.tolist()}: segment ids are not increasing or out of range. "
            "Use tf.math.unsorted_segment_sum and its kin."
        )
    return segments(data, ids, size=int(values[-1]) + 1 if values.size else 0)


def _unsorted(
    segments: Op, where: str, data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    data, ids = convert_to_tensor(data), _read_ids(where, segment_ids)
    size = read_int(num_segments, where, "num_segments")
    if size < 0:
        raise invalid(
            f"{where} expected num_segments of at least 0; got num_segments={size}: it must not be negative."
        )
    if data.spec.shape[: ids.ndim] != ids.spec.shape:
        raise invalid(
            f"{where} expected the shape of data to start with that of segment_ids; got data "
            f"{describe(data)} and segment_ids {describe(ids)}. Pass one id for each row."
        )
    return segments(data, ids, size=size)


def _read_ids(where: str, segment_ids: TensorLike) -> Tensor:
    ids = convert_to_tensor(segment_ids)
    if not ids.dtype.is_integer:
        if math.prod(ids.spec.shape) == 0 and not hasattr(segment_ids, "dtype"):
            return convert_to_tensor(segment_ids, dtype="int32")
        raise invalid(
            f"{where} expected integers for segment_ids; got segment_ids {describe(ids)}. "
            "Cast them to tf.int32."
        )
    return ids


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; ids in order."""
    return _sorted(_sum_op, "tf.math.segment_sum", data, segment_ids)


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment, 0 for an empty one; ids in order."""
    return _sorted(_mean_op, "tf.math.segment_mean", data, segment_ids)


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The product of the rows of each segment, 1 for an empty one; ids in order."""
    return _sorted(_prod_op, "tf.math.segment_prod", data, segment_ids)


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The largest of the rows of each segment, 0 for an empty one; ids in order."""
    return _sorted(_filled_max_op, "tf.math.segment_max", data, segment_ids)


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The smallest of the rows of each segment, 0 for an empty one; ids in order."""
    return _sorted(_filled_min_op, "tf.math.segment_min", data, segment_ids)


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sum of the rows of each segment."""
    return _unsorted(_sum_op, "tf.math.unsorted_segment_sum", data, segment_ids, num_segments)


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: int, name: str | None = None
) -> Tensor:
    """The mean of the rows of each segment, 0 for an empty one; of integers a float."""
    where = "tf.math.unsorted_segment_mean"
    return _unsorted(_unsorted_mean_op, where, data, segment_ids, num_segments)


def unsorted_segment_sqrt_n(
    data: Sequence[Any], segment_ids: TensorLike, num_segments: int, name: str | None = None
) -> Tensor:
    """The sum of the rows of each segment, divided by the square root of their number."""
    return _unsorted(_sqrt_n_op, "tf.math.unsorted_segment_sqrt_n", data, segment_ids, num_segments)


def unsorted_segment_prod(
    data: Sequence[Any], segment_ids: TensorLike, num_segments: int, name: str | None = None
) -> Tensor:
    """The product of the rows of each segment, 1 for an empty one."""
    return _unsorted(_prod_op, "tf.math.unsorted_segment_prod", data, segment_ids, num_segments)


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: int, name: str | None = None
) -> Tensor:
    """The largest of the rows of each segment, the dtype's lowest number for an empty one."""
    return _unsorted(_max_op, "tf.math.unsorted_segment_max", data, segment_ids, num_segments)


def unsorted_segment_min(
    data: Sequence[Any], segment_ids: TensorLike, num_segments: int, name: str | None = None
) -> Tensor:
    """The smallest of the rows of each segment, the dtype's highest number for an empty one."""
    return _unsorted(_min_op, "tf.math.unsorted_segment_min", data, segment_ids, num_segments)
