"""Batches as text: what one process tells others of the rows that it has read."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.data.composites import settled
from tapeflow.data.structure import as_tensor
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor

_DENSE, _TEXT, _RAGGED, _SPARSE = range(4)


def as_text(leaves: Sequence[Any]) -> str:
    """The components of a batch: arrays of numbers or of bytes, ragged and sparse tensors."""
    arrays: list[np.ndarray] = []
    for leaf in leaves:
        _append(leaf, arrays)
    file = io.BytesIO()
    np.savez(file, *arrays, allow_pickle=False)
    return base64.b64encode(file.getvalue()).decode()


def from_text(text: str) -> list[Any]:
    """The components that `as_text` was given."""
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as file:
        arrays = [file[name] for name in file.files][::-1]
    found = []
    while arrays:
        found.append(_taken(arrays))
    return found


def _append(leaf: Any, arrays: list[np.ndarray]) -> None:
    """A component as arrays, of which the first says what it is."""
    if isinstance(leaf, RaggedTensor):
        splits = [np.asarray(s) for s in leaf.nested_row_splits]
        arrays.append(np.array([_RAGGED, len(splits)]))
        arrays.extend(splits)
        _append(settled(leaf.flat_values), arrays)
    elif isinstance(leaf, SparseTensor):
        arrays += [np.array([_SPARSE]), leaf._places, np.asarray(leaf._dense_shape)]
        _append(settled(leaf.values), arrays)
    elif leaf.dtype == object:
        texts = [bytes(text) for text in leaf.reshape(-1)]
        lengths = np.array([len(text) for text in texts], np.int64)
        arrays += [
            np.array([_TEXT, *leaf.shape]),
            lengths,
            np.frombuffer(b"".join(texts), np.uint8),
        ]
    else:
        arrays += [np.array([_DENSE]), leaf]


def _taken(arrays: list[np.ndarray]) -> Any:
    """The next component; `arrays` are in reverse."""
    kind, *rest = arrays.pop().tolist()
    if kind == _RAGGED:
        splits = [arrays.pop() for _ in range(rest[0])]
        return RaggedTensor.from_nested_row_splits(as_tensor(_taken(arrays)), splits)
    if kind == _SPARSE:
        places, shape = arrays.pop(), arrays.pop()
        return SparseTensor(places, as_tensor(_taken(arrays)), shape)
    if kind == _DENSE:
        return arrays.pop()
    ends = np.cumsum(arrays.pop()).tolist()
    joined = arrays.pop().tobytes()
    found = np.empty(len(ends), object)
    for i, end in enumerate(ends):
        found[i] = joined[ends[i - 1] if i else 0 : end]
    return found.reshape(rest)
