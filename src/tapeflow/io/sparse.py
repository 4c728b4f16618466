"""Sparse tensors as strings: `tf.io.serialize_sparse`, `serialize_many_sparse`, `deserialize_many_sparse`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, int64, string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.io.bytes import parse_tensor, serialize_tensor
from tapeflow.ops.array.joining import concat
from tapeflow.ops.host_args import invalid, read_value
from tapeflow.ops.sparse.functions import reorder
from tapeflow.ops.sparse.tensor import SparseTensor, only_sparse
from tapeflow.ops.strings.text import read_strings, string_tensor


def _triple(places: np.ndarray, values: np.ndarray, shape: np.ndarray) -> list[Any]:
    return [serialize_tensor(convert_to_tensor(part)).numpy() for part in (places, values, shape)]


def _only_strings(where: str, out_type: DTypeLike) -> None:
    if as_dtype(out_type) is not string:
        raise ValueError(
            f"{where} expected out_type to be tf.string; got out_type={as_dtype(out_type).name}. TapeFlow has no "
            f"variants."
        )


def serialize_sparse(sp_input: TensorLike, out_type: DTypeLike = string, name: str | None = None) -> Tensor:
    """The indices, values and shape of a sparse tensor as three strings.

    Each is a TensorProto, as `tf.io.serialize_tensor` gives.
    """
    where = "tf.io.serialize_sparse"
    _only_strings(where, out_type)
    sparse = only_sparse(sp_input, where)
    return string_tensor(_triple(sparse._places, read_value(sparse.values), sparse._dense_shape), (3,))


def serialize_many_sparse(
    sp_input: TensorLike, out_type: DTypeLike = string, name: str | None = None
) -> Tensor:
    """A row of three strings for each element of a sparse tensor's first dimension."""
    where = "tf.io.serialize_many_sparse"
    _only_strings(where, out_type)
    sparse = reorder(only_sparse(sp_input, where))
    if len(sparse._dense_shape) < 2:
        raise invalid(f"{where} expected a sparse tensor of rank 2 or more; got shape {sparse.shape}.")
    values, count = read_value(sparse.values), int(sparse._dense_shape[0])
    edges = np.searchsorted(sparse._places[:, 0], np.arange(count + 1))
    rows = [
        _triple(sparse._places[a:b, 1:], values[a:b], sparse._dense_shape[1:])
        for a, b in itertools.pairwise(edges)
    ]
    return string_tensor([text for row in rows for text in row], (count, 3))


def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Sparse tensors of one rank, given as rows of three strings, along a new first dimension.

    >>> rows = tf.io.serialize_many_sparse(tf.sparse.from_dense([[0, 5], [6, 0]]))
    >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(rows, tf.int32)).numpy().tolist()
    [[0, 5], [6, 0]]
    """
    where = "tf.io.deserialize_many_sparse"
    texts = read_strings(serialized_sparse, where, "serialized_sparse")
    if texts.ndim != 2 or texts.shape[1] != 3 or not len(texts):
        raise invalid(
            f"{where} expected strings of shape [count, 3], at least one row; got serialized_sparse of shape "
            f"{list(texts.shape)}."
        )
    places, values, shapes = [], [], []
    for number, (first, second, third) in enumerate(texts):
        inner = read_value(parse_tensor(string_tensor([first], ()), int64))
        values.append(parse_tensor(string_tensor([second], ()), dtype))
        shape = read_value(parse_tensor(string_tensor([third], ()), int64))
        if inner.ndim != 2 or shape.ndim != 1 or inner.shape[1] != len(shape) or values[-1].ndim != 1:
            raise invalid(
                f"{where} expected indices, values and a shape that fit; got others in row {number}."
            )
        places.append(np.insert(inner, 0, number, axis=1))
        shapes.append(shape)
    if len({len(s) for s in shapes}) > 1 or (rank is not None and len(shapes[0]) + 1 != rank):
        raise ValueError(
            f"{where} expected sparse tensors of one rank, rank={rank} with the new dimension; got ranks "
            f"{sorted({len(s) + 1 for s in shapes})}."
        )
    whole = np.array([len(texts), *np.max(shapes, axis=0)])
    return SparseTensor(np.concatenate(places), concat(values, 0), whole)
