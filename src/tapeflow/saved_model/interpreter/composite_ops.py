"""Ragged and sparse tensors, which graphs hold as their parts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import GraphError, Node, array, implements, integer, ints


def _ragged(values: Any, splits: list[Any]) -> Any:
    return tf.RaggedTensor.from_nested_row_splits(values, splits, validate=False)


@implements("RaggedTensorToTensor")
def _to_tensor(node: Node, shape: Tensor, values: Tensor, default: Tensor, *parts: Tensor) -> Any:
    kinds = node.texts("row_partition_types")
    if kinds and kinds[0] == "FIRST_DIM_SIZE":
        kinds, first, parts = kinds[1:], integer(parts[0]), parts[1:]
        sizes = [first, *[None] * (len(parts) - 1)]
    else:
        sizes = [None] * len(parts)
    rows = values
    for kind, part, size in reversed(list(zip(kinds, parts, sizes, strict=True))):
        if kind == "ROW_SPLITS":
            rows = tf.RaggedTensor.from_row_splits(rows, part, validate=False)
        elif kind == "VALUE_ROWIDS":
            rows = tf.RaggedTensor.from_value_rowids(rows, part, size, validate=False)
        else:
            raise GraphError(f"node {node.name!r} has a partition {kind!r}, which is none")
    wanted = [None if n < 0 else n for n in ints(shape)] if shape.shape.rank else None
    return rows.to_tensor(default_value=default, shape=wanted)


@implements("RaggedTensorToSparse", outputs=("sparse_indices", "sparse_values", "sparse_dense_shape"))
def _to_sparse(_: Node, *parts: Tensor) -> Any:
    found = _ragged(parts[-1], list(parts[:-1])).to_sparse()
    return found.indices, found.values, found.dense_shape


@implements("RaggedRange", outputs=("rt_nested_splits", "rt_dense_values"))
def _ragged_range(node: Node, starts: Tensor, limits: Tensor, deltas: Tensor) -> Any:
    found = tf.ragged.range(starts, limits, deltas, row_splits_dtype=node.dtype("Tsplits", tf.int64))
    return found.row_splits, found.flat_values


@implements("RaggedGather", outputs=("output_nested_splits", "output_dense_values"))
def _ragged_gather(node: Node, *parts: Tensor) -> Any:
    count = node.number("PARAMS_RAGGED_RANK", 1)
    found = tf.gather(_ragged(parts[count], list(parts[:count])), parts[count + 1])
    return list(found.nested_row_splits), found.flat_values


@implements("RaggedTensorToVariant")
def _to_variant(node: Node, *parts: Any) -> Any:
    values, splits = parts[-1], list(parts[:-1])
    made = _ragged(values, splits) if splits else values
    if not node.flag("batched_input"):
        return made
    rows = [made[i] for i in range(int(made.shape[0] if not splits else made.nrows()))]
    array_of_rows = tf.TensorArray(values.dtype, 0, clear_after_read=False, infer_shape=False)
    return array_of_rows.of_elements(rows)


@implements("RaggedTensorFromVariant", outputs=("output_nested_splits", "output_dense_values"))
def _from_variant(node: Node, variant: Any) -> Any:
    inner = node.number("output_ragged_rank")
    if isinstance(variant, tf.TensorArray):
        rows = tf.ragged.stack(list(variant.elements() or []))
        return list(rows.nested_row_splits)[:inner], rows.flat_values
    if isinstance(variant, tf.RaggedTensor):
        return list(variant.nested_row_splits), variant.flat_values
    return [], variant


@implements("RaggedBincount")
def _ragged_bincount(node: Node, splits: Any, values: Tensor, size: Tensor, weights: Tensor) -> Any:
    rows = tf.RaggedTensor.from_row_splits(values, splits, validate=False)
    return _binned(node, rows.value_rowids(), values, [int(splits.shape[0]) - 1], ints(size)[0], weights)


@implements("SparseBincount")
def _sparse_bincount(
    node: Node, places: Tensor, values: Tensor, shape: Tensor, size: Tensor, weights: Tensor
) -> Any:
    return _binned(node, places[:, 0], values, ints(shape)[:-1], ints(size)[0], weights)


def _binned(node: Node, rows: Any, values: Any, leading: list[int], count: int, weights: Any) -> Tensor:
    """How often each value below `count` is there, by row if there are rows."""
    is_binary, dtype = node.flag("binary_output"), node.dtype("T", tf.float32)
    is_counted = is_binary or 0 in weights.shape.as_list()
    added = tf.ones_like(values, dtype) if is_counted else tf.cast(weights, dtype)
    whole = tf.cast(values, tf.int64)
    is_kept = whole < count
    added = tf.where(is_kept, added, tf.zeros_like(added))
    whole = tf.where(is_kept, whole, tf.zeros_like(whole))
    places = tf.stack([tf.cast(rows, tf.int64), whole], 1) if leading else tf.expand_dims(whole, 1)
    found = tf.scatter_nd(places, added, [*leading, count])
    return tf.minimum(found, tf.cast(1, dtype)) if is_binary else found


@implements("DenseCountSparseOutput", outputs=("output_indices", "output_values", "output_dense_shape"))
def _dense_counts(node: Node, values: Tensor, weights: Tensor) -> Any:
    whole = array(values)
    return _counted(node, whole.reshape(-1, whole.shape[-1]), whole.ndim, weights)


@implements("RaggedCountSparseOutput", outputs=("output_indices", "output_values", "output_dense_shape"))
def _ragged_counts(node: Node, splits: Tensor, values: Tensor, weights: Tensor) -> Any:
    ends = ints(splits)
    rows = [array(values)[a:b] for a, b in itertools.pairwise(ends)]
    return _counted(node, rows, 2, weights)


def _counted(node: Node, rows: Any, rank: int, weights: Any) -> tuple[Tensor, Tensor, Tensor]:
    least, most = node.number("minlength", -1), node.number("maxlength", -1)
    places, counts, widest = [], [], max(least, 0)
    given = array(weights).reshape(-1) if 0 not in weights.shape.as_list() else None
    at = 0
    for i, row in enumerate(rows):
        found: dict[int, float] = {}
        for value in np.asarray(row).tolist():
            weight = 1 if given is None else given[at]
            at += 1
            if most < 0 or value < most:
                found[value] = 1 if node.flag("binary_output") else found.get(value, 0) + weight
        for value in sorted(found):
            places.append([i, value] if rank == 2 else [value])
            counts.append(found[value])
            widest = max(widest, value + 1)
    shape = [len(rows), widest] if rank == 2 else [widest]
    indices = np.array(places, np.int64).reshape(-1, rank)
    return tf.constant(indices), tf.constant(np.array(counts), weights.dtype), tf.constant(shape, tf.int64)


def _sparse(places: Any, values: Any, shape: Any) -> Any:
    return tf.SparseTensor(places, values, shape)


_PARTS = ("output_indices", "output_values", "output_shape")


def _parts(found: Any) -> tuple[Any, Any, Any]:
    return found.indices, found.values, found.dense_shape


@implements("SparseToDense")
def _to_dense(_: Node, places: Tensor, shape: Tensor, values: Tensor, default: Tensor) -> Any:
    sizes = ints(shape)
    where = tf.reshape(places, [-1, len(sizes)])
    rows = where.shape.as_list()[0]
    return tf.tensor_scatter_nd_update(tf.fill(sizes, default), where, tf.broadcast_to(values, [rows]))


@implements("SparseTensorDenseMatMul")
def _matmul(node: Node, places: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Any:
    return tf.sparse.sparse_dense_matmul(
        _sparse(places, values, shape), dense, node.flag("adjoint_a"), node.flag("adjoint_b")
    )


@implements("SparseReorder", outputs=("output_indices", "output_values"))
def _reorder(_: Node, places: Tensor, values: Tensor, shape: Tensor) -> Any:
    return _parts(tf.sparse.reorder(_sparse(places, values, shape)))[:2]


@implements("SparseReshape", outputs=("output_indices", "output_shape"))
def _reshape(_: Node, places: Tensor, shape: Tensor, wanted: Tensor) -> Any:
    values = tf.zeros([places.shape.as_list()[0]])
    found = tf.sparse.reshape(_sparse(places, values, shape), ints(wanted))
    return found.indices, found.dense_shape


@implements(
    "SparseFillEmptyRows",
    outputs=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
)
def _fill_rows(_: Node, places: Tensor, values: Tensor, shape: Tensor, default: Tensor) -> Any:
    found, is_empty = tf.sparse.fill_empty_rows(_sparse(places, values, shape), default)
    count = values.shape.as_list()[0]
    filled = tf.cumsum(tf.cast(is_empty, tf.int64))
    return (
        found.indices,
        found.values,
        is_empty,
        tf.range(count, dtype=tf.int64) + tf.gather(filled, places[:, 0]),
    )


_REDUCED: dict[str, Any] = {"SparseReduceSum": tf.sparse.reduce_sum, "SparseReduceMax": tf.sparse.reduce_max}


@implements(*_REDUCED)
def _reduce(node: Node, places: Tensor, values: Tensor, shape: Tensor, axes: Tensor) -> Any:
    return _REDUCED[node.op](_sparse(places, values, shape), ints(axes), node.flag("keep_dims"))


@implements("SparseConcat", outputs=_PARTS)
def _concat(node: Node, *parts: Tensor) -> Any:
    count = len(parts) // 3
    pieces = [
        _sparse(*p) for p in zip(parts[:count], parts[count : 2 * count], parts[2 * count :], strict=True)
    ]
    return _parts(tf.sparse.concat(node.number("concat_dim"), pieces))


@implements("SparseSlice", outputs=_PARTS)
def _slice(_: Node, places: Tensor, values: Tensor, shape: Tensor, start: Tensor, size: Tensor) -> Any:
    return _parts(tf.sparse.slice(_sparse(places, values, shape), ints(start), ints(size)))


@implements("SparseSplit", outputs=_PARTS)
def _split(node: Node, axis: Tensor, places: Tensor, values: Tensor, shape: Tensor) -> Any:
    found = tf.sparse.split(_sparse(places, values, shape), node.number("num_split", 1), integer(axis))
    return tuple(list(p) for p in zip(*[_parts(f) for f in found], strict=True))


@implements("SparseAdd", outputs=("sum_indices", "sum_values", "sum_shape"))
def _add(_: Node, *parts: Tensor) -> Any:
    return _parts(tf.sparse.add(_sparse(*parts[:3]), _sparse(*parts[3:6])))


@implements("SparseTensorDenseAdd")
def _dense_add(_: Node, places: Tensor, values: Tensor, shape: object, dense: Tensor) -> Any:
    return tf.tensor_scatter_nd_add(dense, places, values)


@implements("SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseDenseCwiseAdd")
def _dense_cwise(node: Node, places: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Any:
    other = tf.gather_nd(tf.broadcast_to(dense, ints(shape)), places)
    if node.op.endswith("Add"):
        return values + other
    return values * other if node.op.endswith("Mul") else values / other


@implements("SparseSoftmax")
def _softmax(_: Node, places: Tensor, values: Tensor, shape: Tensor) -> Any:
    return tf.sparse.softmax(_sparse(places, values, shape)).values


@implements("SparseCross", "SparseCrossHashed", outputs=_PARTS)
def _cross(node: Node, *parts: Tensor) -> Any:
    count = node.number("N")
    sparse = [
        _sparse(*p)
        for p in zip(parts[:count], parts[count : 2 * count], parts[2 * count : 3 * count], strict=True)
    ]
    dense = list(parts[3 * count :])
    if node.op == "SparseCrossHashed":
        buckets, is_strong, _salt = dense[-3:]
        if bool(array(is_strong)):
            raise NotImplementedError(
                f"SparseCrossHashed expected strong_hash=False; got node {node.name!r}."
            )
        return _parts(tf.sparse.cross_hashed([*sparse, *dense[:-3]], integer(buckets), None))
    if node.has("hashed_output"):
        buckets, key = node.number("num_buckets"), node.number("hash_key")
        function = tf.sparse.cross_hashed if node.flag("hashed_output") else None
        if function is not None:
            return _parts(function([*sparse, *dense], buckets, key))
        return _parts(tf.sparse.cross([*sparse, *dense]))
    return _parts(tf.sparse.cross([*sparse, *dense]))


@implements("SparseCrossV2", outputs=_PARTS)
def _cross_v2(node: Node, *parts: Tensor) -> Any:
    count = node.number("N")
    sparse = [
        _sparse(*p)
        for p in zip(parts[:count], parts[count : 2 * count], parts[2 * count : 3 * count], strict=True)
    ]
    separator = np.asarray(parts[-1].numpy(), object).reshape(-1)[0].decode()
    return _parts(tf.sparse.cross([*sparse, *parts[3 * count : -1]], separator=separator))
