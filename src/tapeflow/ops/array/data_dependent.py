"""Ops whose result has a shape that depends on values: masks, unique, partitions.

They run their input for its values, find on the host which elements to take, and take them with the
differentiable gather, so gradients flow to the values as usual.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.indexing import take
from tapeflow.ops.array.joining import concat
from tapeflow.ops.array.shaping import reshape_kernel
from tapeflow.ops.host_args import describe, index_tensor, invalid, read_int, read_value


class Unique(NamedTuple):
    """What `tf.unique` returns: the values, and which of them each element is."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """What `tf.unique_with_counts` returns: as `Unique`, and how often each value occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # pyright: ignore[reportIncompatibleMethodOverride]  # TensorFlow's name


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """The elements of `tensor` where `mask` holds.

    Args:
        tensor: where to read.
        mask: booleans; its axes are those of `tensor` from `axis` on. One axis takes their place.
        axis: where the axes of the mask begin, 0 if not given.

    >>> tf.boolean_mask([1, 2, 3], [True, False, True])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>
    """
    del name
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
    dims, masked = tensor.spec.shape, mask.spec.shape
    if not masked:
        raise ValueError(
            f"tf.boolean_mask expected a mask of rank 1 or more: mask cannot be scalar; got mask="
            f"{mask!r}. Compare whole tensors, as in `x[x > 0]`."
        )
    at = 0 if axis is None else read_int(axis, "tf.boolean_mask", "axis")
    at += len(dims) if at < 0 else 0
    end = at + len(masked)
    if dims[at:end] != masked:
        raise ValueError(
            f"tf.boolean_mask expected a mask with the axes of the tensor from {at} on; got mask "
            f"{describe(mask)} for a tensor {describe(tensor)}, Shapes {dims[at:end]} and {masked} "
            "are incompatible. Check the axis argument."
        )
    places = np.flatnonzero(read_value(mask)).astype(np.int32)
    flat = reshape_kernel(tensor, shape=(*dims[:at], math.prod(masked), *dims[end:]))
    return take(flat, places, at)


def unique(x: Sequence[Any], out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct values of a vector in order of appearance, and which one each element is.

    >>> tf.unique([3, 1, 3]).idx
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 0], dtype=int32)>
    """
    del name
    return Unique(*_unique(x, out_idx, "tf.unique")[:2])


def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """As `tf.unique`, and how often each value occurs."""
    del name
    return UniqueWithCounts(*_unique(x, out_idx, "tf.unique_with_counts"))


def _unique(x: TensorLike, out_idx: DTypeLike, where: str) -> tuple[Tensor, Tensor, Tensor]:
    x = convert_to_tensor(x)
    if len(x.spec.shape) != 1:
        raise invalid(f"{where} expected a vector; got x {describe(x)}. Use tf.reshape(x, [-1]) first.")
    values = read_value(x)
    _, first, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first)  # numpy sorts by value, TensorFlow by first appearance
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    dtype = as_dtype(out_idx).as_numpy_dtype
    if x.spec.dtype is dtypes.string:
        found = convert_to_tensor(values[first[order]])
    else:
        found = take(x, first[order].astype(np.int32), 0)
    return (
        found,
        convert_to_tensor(rank[inverse].astype(dtype)),
        convert_to_tensor(counts[order].astype(dtype)),
    )


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Split `data` into `num_partitions` tensors; `partitions` is the index of the tensor for each element."""
    del name
    where = "tf.dynamic_partition"
    data, partitions = convert_to_tensor(data), index_tensor(partitions, where, "partitions")
    dims, dealt = data.spec.shape, partitions.spec.shape
    if dims[: len(dealt)] != dealt or num_partitions < 1:
        raise invalid(
            f"{where} expected partitions with the leading axes of data, and num_partitions of at "
            f"least 1; got partitions {describe(partitions)} for data {describe(data)} and "
            f"num_partitions={num_partitions}. Give one number for each element or row of data."
        )
    labels = read_value(partitions).reshape(-1)
    bad = np.flatnonzero((labels < 0) | (labels >= num_partitions))
    if len(bad):
        raise invalid(
            f"{where} expected partitions below num_partitions; got partitions[{bad[0]}] = "
            f"{labels[bad[0]]} is not in [0, {num_partitions}). Raise num_partitions."
        )
    flat = reshape_kernel(data, shape=(math.prod(dealt), *dims[len(dealt) :]))
    places = [np.flatnonzero(labels == i).astype(np.int32) for i in range(num_partitions)]
    return [take(flat, p, 0) for p in places]


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """The inverse of `dynamic_partition`: element `indices[m][i]` of the result is `data[m][i]`.

    Where an index occurs twice the last one counts, and where one is missing the result is zero.
    """
    del name
    where = "tf.dynamic_stitch"
    places = [index_tensor(i, where) for i in indices]
    parts = [convert_to_tensor(d) for d in data]
    if not places or len(places) != len(parts):
        raise invalid(
            f"{where} expected as many indices as data, and at least one; got {len(places)} "
            f"indices and {len(parts)} data. Pass lists of the same length."
        )
    rows = []
    for place, part in zip(places, parts, strict=True):
        lead, dims = place.spec.shape, part.spec.shape
        if dims[: len(lead)] != lead or dims[len(lead) :] != parts[0].spec.shape[len(places[0].spec.shape) :]:
            raise invalid(
                f"{where} expected data[i].shape to begin with indices[i].shape and to end alike "
                f"for all; got indices {describe(place)} and data {describe(part)}. Give one index "
                "for each element or row."
            )
        rows.append(reshape_kernel(part, shape=(math.prod(lead), *dims[len(lead) :])))
    flat = np.concatenate([read_value(p).reshape(-1) for p in places])
    if (flat < 0).any():
        raise invalid(
            f"{where} expected indices of at least 0; got indices={flat.tolist()}. "
            "Negative indices do not count from the end here."
        )
    missing = len(flat)
    source = np.full(int(flat.max(initial=-1)) + 1, missing, np.int32)
    source[flat] = np.arange(len(flat), dtype=np.int32)
    if (source == missing).any():
        rows.append(convert_to_tensor(np.zeros((1, *rows[0].spec.shape[1:]), rows[0].spec.np_dtype)))
    return take(concat(rows, 0), source, 0)
