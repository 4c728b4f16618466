"""`tf.ragged`: constants, ranges and the like."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import creation, shaping
from tapeflow.ops.host_args import invalid, read_value
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.tensor import RaggedTensor


def constant(
    pylist: Sequence[Any],
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> Any:
    """A ragged tensor of nested lists.

    >>> tf.ragged.constant([["a"], ["b", "c"]])
    <tf.RaggedTensor [[b'a'], [b'b', b'c']]>

    Args:
        pylist: nested lists whose scalars are all equally deep.
        dtype: the dtype of the values; chosen by them unless given.
        ragged_rank: how many dimensions may be ragged; all but the first unless given.
        inner_shape: the shape of what lies inside of them.
        name: ignored.
        row_splits_dtype: int64 or int32.
    """
    where = "tf.ragged.constant"
    value = _as_lists(pylist)
    depth, deepest = _scalar_depth(value, where), _depth(value)
    inner = () if inner_shape is None else tuple(int(d) for d in np.atleast_1d(inner_shape))
    if ragged_rank is None:
        rank = max(1, deepest - 1) if inner_shape is None else deepest - 1 - len(inner)
    else:
        rank = ragged_rank
    if depth is not None and depth == 0 and rank:
        if ragged_rank:
            raise ValueError(f"{where} expected nested lists for ragged_rank={ragged_rank}; got {pylist!r}.")
        rank = 0
    if depth == 1 and ragged_rank is None:
        rank = 0
    if depth is not None and rank >= max(depth, 1) and rank:
        raise ValueError(f"{where} expected a ragged_rank below the depth {depth} of the lists; got {rank}.")
    splits, rows = [], value
    for _ in builtins.range(rank):
        splits.append(partition.splits_of_lengths(np.array([len(r) for r in rows], np.int64)))
        rows = [v for r in rows for v in r]
    if depth is None and not rows:
        shape = (0, *(inner or (0,) * max(0, deepest - 1 - rank if ragged_rank is not None else 0)))
        found: Any = creation.zeros(shape, dtype or "float32") if dtype != "string" else None
        if found is None or as_dtype(dtype or "float32").name == "string":
            found = convert_to_tensor(np.zeros(shape, object), "string")
    else:
        found = convert_to_tensor(rows, dtype)
        if inner:
            found = shaping.reshape(found, [-1, *inner])
    for places in reversed(splits):
        found = RaggedTensor(found, places, as_dtype(row_splits_dtype))
    return found


def _as_lists(value: object) -> Any:
    if isinstance(value, np.ndarray):
        return _as_lists(value.tolist())
    return [_as_lists(v) for v in value] if isinstance(value, (list, tuple)) else value


def _depth(value: object) -> int:
    return 1 + max((_depth(v) for v in value), default=0) if isinstance(value, list) else 0


def _scalar_depth(value: object, where: str) -> int | None:
    """How deep the scalars lie; None if there are none."""
    if not isinstance(value, list):
        return 0
    found = {_scalar_depth(v, where) for v in value} - {None}
    deepest = max((_depth(v) for v in value), default=0)
    if len(found) > 1 or any(d is not None and d < deepest for d in found):
        raise ValueError(
            f"{where} expected scalars at the same depth: all scalar values must have the same nesting "
            f"depth; got {value!r}."
        )
    return None if not found else 1 + (found.pop() or 0)


def range(
    starts: TensorLike,
    limits: Any = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> RaggedTensor:
    """A row `range(start, limit, delta)` for each of the starts.

    >>> tf.ragged.range([3, 1])
    <tf.RaggedTensor [[0, 1, 2], [0]]>
    """
    first, last = (0, starts) if limits is None else (starts, limits)
    given = [convert_to_tensor(v, dtype) for v in (first, last, deltas)]
    arrays = np.broadcast_arrays(*[np.asarray(read_value(g)) for g in given])
    kind = np.result_type(*[g.dtype.as_numpy_dtype for g in given])
    flat = [np.atleast_1d(a) for a in arrays]
    if (flat[2] == 0).any():
        raise invalid("tf.ragged.range expected deltas other than 0: requires delta != 0.")
    rows = [np.arange(a, b, d, dtype=kind) for a, b, d in zip(*flat, strict=True)]
    values = np.concatenate([np.zeros(0, kind), *rows])
    splits = partition.splits_of_lengths(np.array([len(r) for r in rows], np.int64))
    return RaggedTensor(convert_to_tensor(values), splits, as_dtype(row_splits_dtype))


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`op` of the innermost values; ragged arguments must have equal rows.

    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]]))
    <tf.RaggedTensor [[1, 4], [9]]>
    """
    ragged = [a for a in nest.flatten((args, kwargs)) if isinstance(a, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    if not all(same_rows(ragged[0], r) for r in ragged):
        raise invalid(
            "tf.ragged.map_flat_values expected ragged tensors with equal rows: all ragged inputs must have the "
            "same row splits."
        )
    flat_args, flat_kwargs = nest.map_structure(
        lambda a: a.flat_values if isinstance(a, RaggedTensor) else a, (args, kwargs)
    )
    return ragged[0].with_flat_values(op(*flat_args, **flat_kwargs))


def same_rows(first: RaggedTensor, other: RaggedTensor) -> bool:
    """Whether two ragged tensors are divided alike."""
    if first.ragged_rank != other.ragged_rank or not np.array_equal(first._places, other._places):
        return False
    return first.ragged_rank == 1 or same_rows(first._values, other._values)


def row_splits_to_segment_ids(
    splits: Any, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """The row of each value, from where the rows begin."""
    where = "tf.ragged.row_splits_to_segment_ids"
    places = partition.read_places(splits, where, "splits")
    dtype = as_dtype(out_type or (places.dtype if hasattr(splits, "dtype") else int64))
    return convert_to_tensor(partition.row_ids(places).astype(dtype.as_numpy_dtype))


def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: Any = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the start of each row from the row of each value."""
    ids = partition.read_places(segment_ids, "tf.ragged.segment_ids_to_row_splits", "segment_ids")
    dtype = as_dtype(out_type or (ids.dtype if hasattr(segment_ids, "dtype") else int64))
    count = 0 if num_segments is None else int(num_segments)
    splits = partition.splits_of_lengths(np.bincount(ids, minlength=count))
    return convert_to_tensor(splits.astype(dtype.as_numpy_dtype))
