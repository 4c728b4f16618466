"""Ragged and sparse tensors among the data: read some rows at a time, one batch in a group.

Batches of them cannot be stacked: each runs as a step of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.data.structure import as_tensor
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values.nest import flatten, map_structure
from tapeflow.keras.annotations import DataLike
from tapeflow.ops.ragged.partition import ranges, splits_of_lengths
from tapeflow.ops.ragged.roomy import with_room
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor

Rows = slice | np.ndarray


def has_composites(data: DataLike) -> bool:
    """Whether a batch has a ragged or sparse tensor in it."""
    return any(isinstance(leaf, DispatchTarget) for leaf in flatten(data))


def with_batch_axis(data: DataLike) -> Any:
    """One batch as a stack of one; ragged and sparse tensors as they are, with room at their end."""
    return map_structure(_with_batch_axis, data)


def _with_batch_axis(leaf: object) -> Any:
    return with_room(leaf) if leaf is None or isinstance(leaf, DispatchTarget) else np.asarray(leaf)[None]


class RaggedColumn:
    """Rows of a ragged tensor, as ragged tensors."""

    def __init__(self, ragged: RaggedTensor) -> None:
        self.shape = (len(ragged._places) - 1, *ragged.shape[1:])
        self._values = np.asarray(ragged.flat_values)
        self._splits = ragged._nested_places
        self._dtype = ragged._places_dtype

    def read(self, rows: Rows) -> RaggedTensor:
        places, lengths = np.arange(self.shape[0])[rows], []
        for splits in self._splits:
            starts, limits = splits[places], splits[places + 1]
            lengths.append(limits - starts)
            places = ranges(starts, limits)
        found: Any = as_tensor(self._values[places])
        for level in reversed(lengths):
            found = RaggedTensor(found, splits_of_lengths(level), self._dtype)
        return found

    def whole(self) -> RaggedTensor:
        return self.read(slice(None))


class SparseColumn:
    """Rows of a sparse tensor, as sparse tensors."""

    def __init__(self, sparse: SparseTensor) -> None:
        self.shape = tuple(sparse._dense_shape.tolist())
        order = np.argsort(sparse._places[:, 0], kind="stable")
        self._places = sparse._places[order]
        self._values = np.asarray(sparse.values)[order]
        self._splits = np.searchsorted(self._places[:, 0], np.arange(self.shape[0] + 1))

    def read(self, rows: Rows) -> SparseTensor:
        numbers = np.arange(self.shape[0])[rows]
        starts, limits = self._splits[numbers], self._splits[numbers + 1]
        chosen = ranges(starts, limits)
        places = self._places[chosen]
        places[:, 0] = np.repeat(np.arange(len(numbers)), limits - starts)
        return SparseTensor(places, as_tensor(self._values[chosen]), [len(numbers), *self.shape[1:]])

    def whole(self) -> SparseTensor:
        return self.read(slice(None))
