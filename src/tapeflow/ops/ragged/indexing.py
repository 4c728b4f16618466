"""`ragged[...]`: rows, parts of rows, and rows by number."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array import indexing
from tapeflow.ops.host_args import invalid, read_int
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.tensor import RaggedTensor

_ALL = builtins.slice(None)


def take_rows(values: Any, rows: np.ndarray) -> Any:
    """The rows of these numbers, of a tensor or of a ragged one."""
    if isinstance(values, Tensor):
        return indexing.take(values, rows, 0)
    splits = values._places
    starts, limits = splits[:-1][rows], splits[1:][rows]
    inner = take_rows(values._values, partition.ranges(starts, limits))
    places = partition.splits_of_lengths(limits - starts)
    return RaggedTensor(inner, places, values._places_dtype, values._uniform)


def getitem(ragged: RaggedTensor, key: TensorLike) -> Any:
    """What `ragged[key]` is."""
    if isinstance(key, RaggedTensor) or (isinstance(key, TensorBase) and key.dtype.is_bool):
        from tapeflow.ops.ragged.masking import boolean_mask  # cycle

        return boolean_mask(ragged, key)
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    return _from_outside(ragged, _without_ellipsis(keys, len(ragged.shape)))


def _without_ellipsis(keys: list[Any], rank: int) -> list[Any]:
    places = [i for i, k in enumerate(keys) if k is Ellipsis]
    if not places:
        return keys
    if len(places) > 1:
        raise ValueError("RaggedTensor.__getitem__ expected one `...` at most; got several.")
    at = places[0]
    missing = rank - sum(k is not None for k in keys) + 1
    return [*keys[:at], *[_ALL] * missing, *keys[at + 1 :]]


def _from_outside(ragged: RaggedTensor, keys: list[Any]) -> Any:
    if not keys:
        return ragged
    head, rest = keys[0], keys[1:]
    if head is None:
        from tapeflow.ops.ragged.arranging import expand_dims  # cycle

        return expand_dims(_from_outside(ragged, rest), 0)
    if isinstance(head, builtins.slice):
        return _inside(_rows(ragged, head), rest)
    count = len(ragged._places) - 1
    number = read_int(head, "RaggedTensor.__getitem__", "index")
    if not -count <= number < count:
        raise invalid(
            f"RaggedTensor.__getitem__ expected a row below {count}: slice index {number} of dimension 0 out "
            "of bounds."
        )
    number %= count
    row = ragged._values[int(ragged._places[number]) : int(ragged._places[number + 1])]
    return row[tuple(rest)] if rest else row


def _rows(ragged: RaggedTensor, part: builtins.slice) -> RaggedTensor:
    if part == _ALL:
        return ragged
    return take_rows(ragged, np.arange(len(ragged._places) - 1)[_numbers(part)])


def _numbers(part: builtins.slice) -> builtins.slice:
    """A slice whose ends are Python numbers."""
    where = "RaggedTensor.__getitem__"
    ends = [None if p is None else read_int(p, where, "slice") for p in (part.start, part.stop, part.step)]
    return builtins.slice(*ends)


def _inside(ragged: RaggedTensor, keys: list[Any]) -> Any:
    """Keys for the dimensions after the first, which stays."""
    if not keys:
        return ragged
    head, rest = keys[0], keys[1:]
    if head is None:
        return RaggedTensor.from_uniform_row_length(_inside(ragged, rest), 1)
    splits = ragged._places
    if isinstance(head, builtins.slice):
        part = _numbers(head)
        if part == _ALL:
            return ragged.with_values(_values_inside(ragged._values, rest))
        lengths = np.diff(splits)
        plans = {n: np.arange(n)[part] for n in np.unique(lengths).tolist()}
        chosen = [start + plans[n] for start, n in zip(splits[:-1].tolist(), lengths.tolist(), strict=True)]
        rows = np.concatenate([np.zeros(0, np.int64), *chosen])
        places = partition.splits_of_lengths(np.array([len(c) for c in chosen], np.int64))
        values = _values_inside(take_rows(ragged._values, rows), rest)
        uniform = None if ragged._uniform is None else len(plans.get(ragged._uniform, ()))
        return RaggedTensor(values, places, ragged._places_dtype, uniform)
    if ragged._uniform is None:
        raise ValueError(
            "Cannot index into an inner ragged dimension. RaggedTensor.__getitem__ expected a slice there, "
            "such as [:, 1:2]; rows may be too short for one number."
        )
    number = read_int(head, "RaggedTensor.__getitem__", "index")
    if not -ragged._uniform <= number < ragged._uniform:
        raise invalid(f"RaggedTensor.__getitem__ expected an index below {ragged._uniform}; got {number}.")
    found = take_rows(ragged._values, splits[:-1] + number % ragged._uniform)
    return _values_inside(found, rest)


def _values_inside(values: Any, keys: list[Any]) -> Any:
    if not keys:
        return values
    return values[(_ALL, *keys)] if isinstance(values, Tensor) else _inside(values, keys)
