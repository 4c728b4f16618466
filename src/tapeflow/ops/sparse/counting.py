"""`tf.sparse.bincount`: how often each integer occurs, without the ones that do not."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.ops.array import shaping
from tapeflow.ops.array.indexing import take
from tapeflow.ops.host_args import invalid, read_array, read_int
from tapeflow.ops.math import segment
from tapeflow.ops.ragged.partition import row_ids
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor


def _numbered(values: TensorLike, where: str, name: str) -> tuple[Any, np.ndarray, int | None]:
    """Flat values, the row of each, and how many rows there are, None for a vector."""
    if isinstance(values, SparseTensor):
        is_matrix = len(values._dense_shape) > 1
        rows = values._places[:, 0] if is_matrix else np.zeros(len(values._places), np.int64)
        return values.values, rows, int(values._dense_shape[0]) if is_matrix else None
    if isinstance(values, RaggedTensor):
        return values.flat_values, row_ids(values._places), len(values._places) - 1
    tensor = convert_to_tensor(values)
    if tensor.ndim not in (1, 2):
        raise invalid(f"{where} expected {name} of rank 1 or 2; got shape {list(tensor.spec.shape)}.")
    count = tensor.spec.shape[0]
    if tensor.ndim == 1:
        return tensor, np.zeros(count, np.int64), None
    rows = np.repeat(np.arange(count), tensor.spec.shape[1])
    return shaping.reshape(tensor, [-1]), rows, count


def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: int | None = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Count how often each integer occurs, as a sparse tensor.

    Args:
        values: integers of at least 0: a tensor, ragged or sparse, of rank 1 or 2.
        weights: what each one counts, of the same kind and shape as `values`.
        axis: 0 counts everything together, -1 each row by itself.
        minlength: the least length of the last dimension.
        maxlength: the largest; greater integers are not counted.
        binary_output: 1 for what occurs.
    """
    where = "tf.sparse.bincount"
    if axis not in (None, 0, -1):
        raise ValueError(
            f"{where} expected axis to be None, 0 or -1: unsupported axis; got axis={axis!r}. Transpose first."
        )
    if weights is not None and binary_output:
        raise ValueError(f"{where} expected either weights or binary_output: they are mutually exclusive.")
    given, rows, count = _numbered(values, where, "values")
    numbers = read_array(given, where, "values").astype(np.int64)
    if numbers.size and numbers.min() < 0:
        raise invalid(f"{where} expected values of at least 0; got {int(numbers.min())}.")
    if axis != -1 or count is None:
        rows, count = np.zeros_like(rows), None
    length = max(
        0 if minlength is None else read_int(minlength, where, "minlength"), numbers.max(initial=-1) + 1
    )
    kept = np.arange(len(numbers))
    if maxlength is not None:
        length = min(length, read_int(maxlength, where, "maxlength"))
        kept = np.flatnonzero(numbers < length)
    places, which = np.unique(np.stack([rows[kept], numbers[kept]], axis=1), axis=0, return_inverse=True)
    which = which.reshape(-1)
    if weights is not None:
        shares = _numbered(weights, where, "weights")[0]
        if shares.spec.shape != given.spec.shape:
            raise invalid(
                f"{where} expected a weight for each value; got {shares.spec.shape[0]} weights for {len(numbers)}."
            )
        found: Any = segment.unsorted_segment_sum(take(shares, kept, 0), which, len(places))
    else:
        counts: Any = np.bincount(which, minlength=len(places)).astype(given.spec.np_dtype)
        found = np.ones_like(counts) if binary_output else counts
    if count is None:
        return SparseTensor(places[:, 1:], found, np.array([length]))
    return SparseTensor(places, found, np.array([count, length]))
