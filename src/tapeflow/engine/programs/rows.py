"""What many calls in one program gave: columns of results, which may still be computed, and cells of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording import checks
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import Tensor


class Rows:
    """What the calls gave: for each result an array with one row a call."""

    def __init__(self, structure: Any, columns: list[Any], count: int) -> None:
        self.structure = structure
        self.columns = columns
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, row: int) -> Any:
        """The results of one call, as they were returned; arrays may still be computed."""
        return nest.pack_sequence_as(self.structure, [c[row] for c in self.columns])

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.count))

    def stacked(self) -> Any:
        """The columns in the structure of the results; each has one row a call."""
        return nest.pack_sequence_as(self.structure, [_column(c) for c in self.columns])

    def last(self) -> Any:
        """The results of the last call, on the host, waiting for them; raises if a check has failed."""
        checks.settle()
        return self.fetched()

    def fetched(self) -> Any:
        """The same from any thread, whatever checks have found."""
        row = self.count - 1
        found = [np.asarray(c)[row] if isinstance(c, jax.Array) else c[row] for c in self.columns]
        return nest.pack_sequence_as(self.structure, [_fetched(value) for value in found])


def _column(column: Any) -> Any:
    """A column as one array, where its rows were computed one by one."""
    if isinstance(column, list) and len(column) == 1 and isinstance(column[0], jax.Array):
        return column[0][None]  # without waiting for it
    return np.stack([np.asarray(v) for v in column]) if isinstance(column, list) else column


def _fetched(value: Any) -> Any:
    if isinstance(value, (Tensor, jax.Array, np.ndarray, np.generic)):
        array = np.asarray(value)
        return array if array.ndim else array.item()
    return value


class Fetch:
    """A column that is fetched once, when the first of its cells is looked at."""

    def __init__(self, column: Any) -> None:
        self.column = column
        self.shape, self.dtype = column.shape[1:], np.dtype(column.dtype)

    def array(self) -> np.ndarray:
        """All of it, waiting for it."""
        if not isinstance(self.column, np.ndarray):
            self.column = np.asarray(self.column)
        return self.column


class Cell:
    """What an effect is to show of one turn: an array that may still be computed."""

    def __init__(self, fetch: Fetch, row: int) -> None:
        self._fetch = fetch
        self._row = row
        self.shape, self.dtype = fetch.shape, fetch.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.asarray(self._fetch.array()[self._row])
        return array if dtype is None else array.astype(dtype)
