"""Rows looked up and put together by segment: `tf.sparse.segment_*`, `tf.nn.embedding_lookup_sparse`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import creation, indexing, shaping
from tapeflow.ops.host_args import describe, index_tensor, invalid, read_int, read_value
from tapeflow.ops.math import arithmetic, casting, division, segment
from tapeflow.ops.nn.embedding import embedding_lookup
from tapeflow.ops.ragged.partition import row_ids
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.functions import fill_empty_rows, reshape, retain
from tapeflow.ops.sparse.tensor import SparseTensor, only_sparse

_COMBINERS: dict[str, Callable[..., Tensor]] = {
    "sum": segment.unsorted_segment_sum,
    "mean": segment.unsorted_segment_mean,
    "sqrtn": segment.unsorted_segment_sqrt_n,
}


def _segments(
    where: str, combiner: str, data: Any, indices: TensorLike, segment_ids: Any, num_segments: Any
) -> Tensor:
    rows = index_tensor(indices, where)
    ids = read_value(index_tensor(segment_ids, where, "segment_ids"))
    if ids.ndim != 1 or ids.shape != rows.spec.shape:
        raise invalid(
            f"{where} expected a segment id for each index: segment_ids should be the same size as indices; got "
            f"indices {describe(rows)} and segment_ids of shape {list(ids.shape)}."
        )
    least = int(ids[-1]) + 1 if len(ids) else 0
    count = least if num_segments is None else read_int(num_segments, where, "num_segments")
    if len(ids) and (ids[0] < 0 or (np.diff(ids) < 0).any() or ids[-1] >= count):
        raise invalid(
            f"{where} expected segment ids of at least 0, in order and below {count}: segment ids are not increasing "
            f"or out of range; got segment_ids={ids.tolist()}."
        )
    return _COMBINERS[combiner](indexing.gather(data, rows), ids, count)


def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of the rows `indices` of `data` in each segment.

    >>> tf.sparse.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 2], [0, 0]).numpy().tolist()
    [[6, 8]]
    """
    return _segments("tf.sparse.segment_sum", "sum", data, indices, segment_ids, num_segments)


def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The mean of the rows `indices` of `data` in each segment, 0 for an empty one."""
    return _segments("tf.sparse.segment_mean", "mean", data, indices, segment_ids, num_segments)


def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sum of the rows `indices` of `data` in each segment, divided by the square root of their number."""
    return _segments("tf.sparse.segment_sqrt_n", "sqrtn", data, indices, segment_ids, num_segments)


def _read_combiner(where: str, combiner: str | None) -> str:
    if combiner is None:
        return "mean"
    if combiner not in _COMBINERS:
        raise ValueError(
            f"{where} expected combiner to be one of {', '.join(_COMBINERS)}; got combiner={combiner!r}."
        )
    return combiner


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: TensorLike,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look up the embeddings of each row of ids and combine them.

    Args:
        params: the table, or a list of tables taken as one.
        sp_ids: the ids, sparse or ragged, none of the rows empty.
        sp_weights: what each id counts, of the same kind and places; None for 1 each.
        combiner: 'mean' if not given, 'sum', or 'sqrtn', the sum over the root of the squared weights.
        max_norm: longer rows of the table are scaled down to it.
    """
    where = "tf.nn.embedding_lookup_sparse"
    how = _read_combiner(where, combiner)
    if isinstance(sp_ids, RaggedTensor):
        ids, rows = sp_ids.flat_values, row_ids(sp_ids._places)
        shares = None if sp_weights is None else sp_weights.flat_values
    elif isinstance(sp_ids, SparseTensor):
        ids, rows = sp_ids.values, sp_ids._places[:, 0]
        shares = None if sp_weights is None else only_sparse(sp_weights, where, "sp_weights").values
    else:
        raise TypeError(f"{where} expected sp_ids to be a SparseTensor or RaggedTensor; got {sp_ids!r}.")
    found = embedding_lookup(params, ids, max_norm)
    count = int(rows[-1]) + 1 if len(rows) else 0
    if shares is None:
        return _COMBINERS[how](found, rows, count)
    if shares.spec.shape != ids.spec.shape:
        raise invalid(
            f"{where} expected a weight for each id; got sp_weights {describe(shares)} for {describe(ids)}."
        )
    weights = shaping.reshape(
        casting.cast(shares, found.dtype), [*shares.spec.shape, *[1] * (found.ndim - 1)]
    )
    total = segment.unsorted_segment_sum(found * weights, rows, count)
    if how == "sum":
        return total
    parts = weights if how == "mean" else arithmetic.square(weights)
    whole = segment.unsorted_segment_sum(parts, rows, count)
    return division.divide_no_nan(total, whole if how == "mean" else arithmetic.sqrt(whole))


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """As `embedding_lookup_sparse`, leaving out negative ids, and weights that are not positive unless summing.

    A row with nothing left gives the embedding of `default_id`, or zeros.
    """
    where = "tf.nn.safe_embedding_lookup_sparse"
    if isinstance(sparse_ids, RaggedTensor):
        sparse_ids = sparse_ids.to_sparse()
        sparse_weights = None if sparse_weights is None else sparse_weights.to_sparse()
    sparse = only_sparse(sparse_ids, where, "sparse_ids")
    outer = sparse._dense_shape[:-1].tolist()
    flat = reshape(sparse, [int(np.prod(outer)), int(sparse._dense_shape[-1])])
    is_good = read_value(flat.values) >= 0
    weights = None if sparse_weights is None else flat.with_values(only_sparse(sparse_weights, where).values)
    if weights is not None and _read_combiner(where, combiner) != "sum":
        is_good &= read_value(weights.values) > 0
    filled, is_empty = fill_empty_rows(retain(flat, is_good), default_id or 0)
    if weights is not None:
        weights = fill_empty_rows(retain(weights, is_good), 1.0)[0]
    found = embedding_lookup_sparse(embedding_weights, filled, weights, combiner, max_norm)
    if default_id is None:
        mask = shaping.reshape(convert_to_tensor(is_empty), [-1, *[1] * (found.ndim - 1)])
        found = indexing.where(mask, creation.zeros_like(found), found)
    return shaping.reshape(found, [*outer, *found.spec.shape[1:]])
