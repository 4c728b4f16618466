"""Ragged tensors put together and turned about: concat, stack, expand_dims, reverse, tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import indexing, joining, shaping
from tapeflow.ops.array.rearranging import reverse as reverse_dense
from tapeflow.ops.host_args import invalid, read_array, read_axis, read_int, read_ints
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.indexing import take_rows
from tapeflow.ops.ragged.tensor import RaggedTensor


def _rank(value: Any) -> int:
    return len(value.shape)


def alike(values: Sequence[Any], where: str) -> list[Any]:
    """Values as tensors, all ragged in as many dimensions as the most ragged of them."""
    tensors = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in values]
    ranks = {_rank(v) for v in tensors}
    if len(ranks) > 1:
        raise ValueError(
            f"{where} expected inputs of one rank; got shapes {[str(v.shape) for v in tensors]}."
        )
    deepest = max((v.ragged_rank for v in tensors if isinstance(v, RaggedTensor)), default=0)
    return [_as_ragged(v, deepest) for v in tensors] if deepest else tensors


def _as_ragged(value: Any, ragged_rank: int) -> Any:
    if not ragged_rank:
        return value
    if isinstance(value, RaggedTensor):
        return value.with_values(_as_ragged(value._values, ragged_rank - 1))
    return RaggedTensor.from_tensor(value, ragged_rank=min(ragged_rank, max(value.ndim - 1, 1)))


def concat(values: Sequence[Any], axis: int, name: str | None = None) -> RaggedTensor:
    """`tf.concat`, if one of the values is ragged."""
    tensors = alike(values, "tf.concat")
    if len(tensors) == 1:
        return tensors[0]
    return _joined(tensors, read_axis(axis, _rank(tensors[0]), "tf.concat"))


def _joined(found: Sequence[Any], axis: int) -> Any:
    if not isinstance(found[0], RaggedTensor):
        return joining.concat(list(found), axis)
    dtype = found[0]._places_dtype
    if axis == 0:
        lengths = np.concatenate([np.diff(r._places) for r in found])
        uniform = {r._uniform for r in found}
        return RaggedTensor(
            _joined([r._values for r in found], 0),
            partition.splits_of_lengths(lengths),
            dtype,
            uniform.pop() if len(uniform) == 1 else None,
        )
    counts = {len(r._places) for r in found}
    if len(counts) > 1:
        raise invalid(
            "tf.concat expected as many rows in each input: input tensors have incompatible shapes; got "
            f"{[len(r._places) - 1 for r in found]}."
        )
    if axis > 1:
        if not all(np.array_equal(r._places, found[0]._places) for r in found):
            raise invalid("tf.concat expected rows of equal lengths in the dimensions before the axis.")
        return found[0].with_values(_joined([r._values for r in found], axis - 1))
    offsets = np.cumsum([0, *[r._places[-1] for r in found[:-1]]])
    starts = np.stack([r._places[:-1] + o for r, o in zip(found, offsets, strict=True)], axis=1)
    limits = np.stack([r._places[1:] + o for r, o in zip(found, offsets, strict=True)], axis=1)
    rows = partition.ranges(starts.ravel(), limits.ravel())
    places = partition.splits_of_lengths((limits - starts).sum(axis=1))
    return RaggedTensor(take_rows(_joined([r._values for r in found], 0), rows), places, dtype)


def stack(values: Any, axis: int | Sequence[int] = 0, name: str | None = None) -> Any:
    """Tensors of one rank, whose shapes may differ, as one ragged tensor.

    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    where = "tf.ragged.stack"
    found = alike(values, where)
    if not found:
        raise ValueError(f"{where} expected at least one tensor: `rt_inputs` may not be empty.")
    place = read_axis(axis, _rank(found[0]) + 1, where)
    if not _rank(found[0]):
        return joining.stack(found)
    if place:
        wide = found if isinstance(found[0], RaggedTensor) else [RaggedTensor.from_tensor(f) for f in found]
        return _joined([expand_dims(w, place) for w in wide], place)
    counts = [len(f._places) - 1 if isinstance(f, RaggedTensor) else f.shape[0] for f in found]
    if _rank(found[0]) > 1 and not isinstance(found[0], RaggedTensor):
        found = [RaggedTensor.from_tensor(f, ragged_rank=f.ndim - 1) for f in found]
    return RaggedTensor(_joined(found, 0), partition.splits_of_lengths(np.array(counts)), int64)


def expand_dims(input: Any, axis: int, name: str | None = None) -> Any:
    """`tf.expand_dims` of a ragged tensor."""
    if isinstance(input, Tensor):
        return shaping.expand_dims(input, axis)
    place = read_axis(axis, _rank(input) + 1, "tf.expand_dims")
    if place == 0:
        return RaggedTensor.from_uniform_row_length(input, len(input._places) - 1, 1)
    if place == 1:
        return RaggedTensor.from_uniform_row_length(input, 1, len(input._places) - 1)
    return input.with_values(expand_dims(input._values, place - 1))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """`tf.squeeze` of a ragged tensor; the axis must be said."""
    if isinstance(input, Tensor):
        return shaping.squeeze(input, axis)
    if axis is None:
        raise ValueError("tf.squeeze expected an axis: ragged.squeeze must have an axis argument; got None.")
    for place in sorted(
        (read_axis(a, _rank(input), "tf.squeeze") for a in np.atleast_1d(axis)), reverse=True
    ):
        if place == 0:
            if len(input._places) != 2:
                raise invalid(f"tf.squeeze expected a dimension of 1; got {len(input._places) - 1} rows.")
            input = input._values
        elif place == 1:
            if (np.diff(input._places) != 1).any():
                raise invalid("tf.squeeze expected rows of length 1; got others.")
            input = input._values
        else:
            input = input.with_values(squeeze(input._values, place - 1))
    return input


def merge_dims(ragged: RaggedTensor, outer: int, inner: int) -> Any:
    """The dimensions from `outer` to `inner` as one."""
    rank = _rank(ragged)
    first, last = (read_axis(a, rank, "RaggedTensor.merge_dims") for a in (outer, inner))
    if not first < last:
        raise ValueError(f"RaggedTensor.merge_dims expected outer_axis < inner_axis; got {outer}, {inner}.")
    return _merged(ragged, first, last)


def _merged(value: Any, first: int, last: int) -> Any:
    if isinstance(value, Tensor):
        shape = value.shape.as_list()
        return shaping.reshape(value, [*shape[:first], -1, *shape[last + 1 :]])
    if first == 0:
        return value._values if last == 1 else _merged(value._values, 0, last - 1)
    if first > 1:
        return value.with_values(_merged(value._values, first - 1, last - 1))
    # Rows of rows become rows: each split of the outer ones is looked up in the inner ones.
    inner = value._values
    if isinstance(inner, Tensor):
        width = inner.shape[1]
        merged = RaggedTensor(_merged(inner, 0, 1), value._places * width, value._places_dtype)
    else:
        merged = RaggedTensor(inner._values, inner._places[value._places], value._places_dtype)
    return merged if last == 2 else _merged(merged, 1, last - 1)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: object = None,
    axis: int | Sequence[int] | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """`tf.gather` where the rows, or their numbers, are ragged; along the first axis."""
    if (axis is not None and read_int(axis, "tf.gather", "axis")) or batch_dims:
        raise ValueError(
            f"tf.gather expected axis=0 and batch_dims=0 for ragged tensors; got axis={axis}, "
            f"batch_dims={batch_dims}."
        )
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(gather(params, indices.flat_values))
    if not isinstance(params, RaggedTensor):
        return indexing.gather(params, indices)
    rows = np.asarray(convert_to_tensor(indices).numpy())
    count = len(params._places) - 1
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        raise invalid(f"tf.gather expected rows below {count}; got indices={rows.tolist()}.")
    found = take_rows(params, rows.reshape(-1))
    if rows.ndim == 0:
        return found[0]
    for length in rows.shape[:0:-1]:
        found = RaggedTensor.from_uniform_row_length(found, length)
    return found


def reverse(tensor: TensorLike, axis: int | Sequence[int], name: str | None = None) -> Any:
    """`tf.reverse` of a ragged tensor."""
    for place in read_ints(axis, "tf.reverse", "axis", scalar=True):
        number = read_axis(place, _rank(tensor), "tf.reverse")
        tensor = _reversed(tensor, number, reverse_dense)
    return tensor


def _reversed(value: Any, axis: int, reverse_dense: Any) -> Any:
    if isinstance(value, Tensor):
        return reverse_dense(value, [axis])
    if axis == 0:
        return take_rows(value, np.arange(len(value._places) - 1)[::-1])
    if axis > 1:
        return value.with_values(_reversed(value._values, axis - 1, reverse_dense))
    splits = value._places
    mirrored = np.repeat(splits[:-1] + splits[1:], np.diff(splits)) - 1 - np.arange(splits[-1])
    return value.with_values(take_rows(value._values, mirrored))


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """`tf.tile` of a ragged tensor."""
    for axis, count in enumerate(read_ints(multiples, "tf.tile", "multiples")):
        if count != 1:
            input = _joined([input] * count, axis) if count else input[(slice(None),) * axis + (slice(0),)]
    return input


def stack_dynamic_partitions(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> RaggedTensor:
    """Row i of the result has the elements of `data` whose partition is i, in their order.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 3)
    <tf.RaggedTensor [[b'b'], [b'a', b'c'], []]>
    """
    where = "tf.ragged.stack_dynamic_partitions"
    count = read_int(num_partitions, where, "num_partitions")
    if isinstance(partitions, RaggedTensor):
        if not isinstance(data, RaggedTensor) or not np.array_equal(data._places, partitions._places):
            raise invalid(f"{where} expected data with the rows of the ragged partitions; got others.")
        return stack_dynamic_partitions(data._values, partitions._values, count)
    numbers = read_array(partitions, where, "partitions")
    value = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    for _ in range(numbers.ndim - 1):
        value = merge_dims(value, 0, 1) if isinstance(value, RaggedTensor) else _merged(value, 0, 1)
    value = value if numbers.ndim else expand_dims(value, 0)
    numbers = numbers.reshape(-1)
    rows = len(value._places) - 1 if isinstance(value, RaggedTensor) else value.shape[0]
    if rows != len(numbers) or (numbers.size and not 0 <= numbers.min() <= numbers.max() < count):
        raise invalid(
            f"{where} expected a partition from 0 up to {count} for each element of data; got partitions="
            f"{numbers.tolist()} for {rows} elements."
        )
    splits = partition.splits_of_lengths(np.bincount(numbers, minlength=count))
    dtype = value._places_dtype if isinstance(value, RaggedTensor) else convert_to_tensor(partitions).dtype
    return RaggedTensor(take_rows(value, np.argsort(numbers, kind="stable")), splits, dtype)
