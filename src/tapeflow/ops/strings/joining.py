"""Strings of one tensor put together: `tf.strings.reduce_join` and `unsorted_segment_join`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_axis, read_int, read_ints
from tapeflow.ops.ragged.dispatch import for_ragged
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.strings.text import read_strings, string_tensor


def reduce_join(
    inputs: TensorLike,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """The strings along an axis, or all of them, one behind the other.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="-").numpy().tolist()
    [b'a-b', b'c-d']
    """
    where = "tf.strings.reduce_join"
    if isinstance(inputs, RaggedTensor):
        return ragged_reduce_join(inputs, axis, keepdims, separator)
    array, between = read_strings(inputs, where, "inputs"), separator.encode()
    rank = array.ndim
    if axis is None:
        axes = list(range(rank))
    else:
        axes = [read_axis(a, rank, where) for a in read_ints(axis, where, "axis", scalar=True)]
    if not axes:
        return string_tensor(array.reshape(-1), array.shape)
    kept = [a for a in range(rank) if a not in axes]
    # The first axis named changes slowest.
    moved = array.transpose(*kept, *axes).reshape(*[array.shape[a] for a in kept], -1)
    rows = moved.reshape(-1, moved.shape[-1]) if moved.size else np.empty((0, 0), object)
    shape = tuple([1 if a in axes else n for a, n in enumerate(array.shape) if keepdims or a not in axes])
    joined = [between.join(row) for row in rows] if len(rows) else [b""] * int(np.prod(shape))
    return string_tensor(joined, shape)


for_ragged(reduce_join, reduce_join)


def ragged_reduce_join(inputs: RaggedTensor, axis: Any, keepdims: bool, separator: str) -> Any:
    """`reduce_join` of the innermost rows, or of everything."""
    where = "tf.strings.reduce_join"
    if axis is None:
        return reduce_join(inputs.flat_values, None, keepdims, separator)
    place = read_axis(read_ints(axis, where, "axis", scalar=True)[0], len(inputs.shape), where)
    if place > 1:
        return inputs.with_values(reduce_join(inputs._values, place - 1, keepdims, separator))
    if place == 0 or isinstance(inputs._values, RaggedTensor):
        raise ValueError(f"{where} expected the innermost axis of a ragged tensor; got axis={axis!r}.")
    flat, splits = read_strings(inputs._values, where, "inputs"), inputs._places
    between = separator.encode()
    rows = [between.join(flat[a:b]) for a, b in itertools.pairwise(splits)]
    return string_tensor(rows, (len(rows), 1) if keepdims else (len(rows),))


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings of each segment, one behind the other."""
    where = "tf.strings.unsorted_segment_join"
    array = read_strings(inputs, where, "inputs").reshape(-1)
    ids = read_ints(segment_ids, where, "segment_ids")
    count = read_int(num_segments, where, "num_segments")
    if len(ids) != len(array):
        raise invalid(f"{where} expected one id for each string; got {len(ids)} for {len(array)}.")
    found: list[list[bytes]] = [[] for _ in range(count)]
    for text, number in zip(array, ids, strict=True):
        if number >= count:
            raise invalid(f"{where} expected ids below {count}; got segment_ids={list(ids)}.")
        if number >= 0:
            found[number].append(text)
    return string_tensor([separator.encode().join(part) for part in found], (count,))
