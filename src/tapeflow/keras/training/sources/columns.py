"""Columns: one leaf of array data, read some rows at a time.

`Memory` holds a numpy array. `OnDisk` holds anything with a shape, a dtype and indexing (an HDF5 dataset, a
memory map, a sparse matrix) and turns only the rows of a batch into an array.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from tapeflow.engine.devices import host_memory
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.keras.training.sources.composites import RaggedColumn, Rows, SparseColumn
from tapeflow.keras.training.sources.leaves import Table, in_floatx, is_scalars, to_array
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor


@runtime_checkable
class Indexable(Protocol):
    """An array that is not in memory."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, rows: Any) -> Any: ...
    def __len__(self) -> int: ...


@runtime_checkable
class InMemory(Protocol):
    """An array that is: it can share its buffer."""

    def __dlpack__(self) -> Any: ...


@runtime_checkable
class Sparse(Protocol):
    """A SciPy sparse matrix."""

    def tocsr(self) -> Any: ...
    def toarray(self) -> np.ndarray: ...


class Memory:
    """Rows of a numpy array: views if they lie together, otherwise one gather."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.shape = array.shape

    def read(self, rows: Rows) -> np.ndarray:
        return self.array[rows] if isinstance(rows, slice) else host_memory.taken(self.array, rows)

    def whole(self) -> np.ndarray:
        return self.array


class OnDisk:
    """Rows of an array that is not loaded as a whole."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = tuple(array.shape)

    def read(self, rows: Rows) -> np.ndarray:
        if isinstance(rows, slice):
            return self._dense(self.array[rows])
        # HDF5 wants increasing indices.
        order = np.argsort(rows)
        result = self._dense(self.array[rows[order]])
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return host_memory.taken(result, back)

    def whole(self) -> np.ndarray:
        return self._dense(self.array[:])

    def _dense(self, part: Any) -> np.ndarray:
        return in_floatx(part.toarray() if isinstance(part, Sparse) else np.asarray(part))


Column = Memory | OnDisk | RaggedColumn | SparseColumn


def is_column(leaf: object) -> bool:
    """Whether `column` can read this leaf."""
    return (
        leaf is None
        or isinstance(leaf, (np.ndarray, TensorBase, RaggedTensor, SparseTensor, Table, Indexable, Sparse))
        or (isinstance(leaf, (list, tuple)) and is_scalars(leaf))
    )


def column(leaf: object) -> Column | None:
    """The column for a leaf that `is_column` accepts."""
    if leaf is None:
        return None
    if isinstance(leaf, RaggedTensor):
        return RaggedColumn(leaf)
    if isinstance(leaf, SparseTensor):
        return SparseColumn(leaf)
    if isinstance(leaf, Sparse):
        return OnDisk(leaf.tocsr())
    in_memory = isinstance(leaf, (TensorBase, Table, InMemory, list, tuple)) and not isinstance(
        leaf, np.memmap
    )
    return Memory(to_array(leaf)) if in_memory else OnDisk(leaf)
