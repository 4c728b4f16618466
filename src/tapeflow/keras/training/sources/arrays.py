"""`ArraySource`: batches of arrays that are there as a whole.

An epoch's order depends on the seed and its number alone, so it can be computed again to resume in the
middle. A group of K shuffled batches is one gather of K * batch_size rows and a reshape; unshuffled ones are
views.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.engine.devices.placement import Share
from tapeflow.engine.values.nest import flatten, pack_sequence_as
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.training.sources.class_weight import ClassWeight
from tapeflow.keras.training.sources.columns import Column, Memory, OnDisk, column
from tapeflow.keras.training.sources.group import Group, stack_leaves
from tapeflow.keras.training.sources.leaves import map_leaves
from tapeflow.keras.training.sources.samples import check_rows, fill_weights
from tapeflow.keras.training.sources.source import Source, epoch_rng
from tapeflow.keras.utils.samples import pack_x_y_sample_weight


class ArraySource(Source):
    """Arrays, cut into batches.

    As in Keras, with `steps` other than the number of batches the epochs continue where the last one ended:
    pass after pass over the arrays, `epochs` of them at most.
    """

    def __init__(
        self,
        x: DataLike,
        y: DataLike = None,
        sample_weight: DataLike = None,
        batch_size: int | None = None,
        shuffle: bool | str = False,
        steps: int | None = None,
        epochs: int = 1,
        class_weight: ClassWeight | None = None,
        seed: int = 0,
        share: Share | None = None,
    ) -> None:
        self._share = share
        parts = [map_leaves(column, part) for part in (x, y, sample_weight)]
        rows = check_rows(parts)
        parts[2] = fill_weights(parts[1], parts[2], lambda: Memory(np.ones(rows, np.float32)))
        if class_weight is not None:
            parts[2] = _weighted(class_weight, parts[1], parts[2])
        self._structure = pack_x_y_sample_weight(*parts)
        self._columns: list[Column | None] = flatten(self._structure)
        self._rows = rows
        self._batch_rows = int(batch_size or (math.ceil(rows / steps) if steps else 32))
        self._size = math.ceil(rows / self._batch_rows)
        self._full = rows // self._batch_rows
        self._steps = int(steps or self._size)
        self.batch_size, self.steps = self._batch_rows, self._steps
        self._shuffle = bool(shuffle)
        self._by_batch = isinstance(shuffle, str) and shuffle.lower() == "batch"
        self._epochs = epochs
        self._first: int | None = None
        self._seed = seed

    def epoch(self, number: int, group: int = 1, start: int = 0) -> Iterator[Group]:
        begin = number * self._steps  # positions count batches from epoch 0 on, over all passes
        end = begin + min(self._steps, self._left(number))
        self.ran_out = False
        at, order, order_pass = begin + start, None, None
        while at < end:
            this_pass, offset = divmod(at, self._size)
            if order_pass != this_pass:
                order, order_pass = self._order(this_pass), this_pass
            # To the end of the group, of the epoch or of the full batches, whichever comes first.
            count = max(1, min(group - (at - begin) % group, end - at, self._full - offset))
            yield Group(at - begin, count, self._batch(order, offset, count))
            at += count
        self.ran_out = end < begin + self._steps

    def _left(self, number: int) -> int:
        """How many batches are left when epoch `number` begins: a pass for each epoch, as in Keras."""
        if self._first is None:
            self._first = number
        if self._steps == self._size:
            return self._size
        return max(0, self._size * self._epochs - (number - self._first) * self._steps)

    def last_rows(self) -> int | None:
        return self._rows % self._batch_rows or None if self._steps == self._size > 1 else None

    def peek(self) -> Any:
        return self._batch(None, 0, 1)

    def rewind(self) -> None:
        self._first = None

    def state(self, step: int | None) -> Any:
        return {"steps": self.steps, "seed": self._seed, "first": self._first}

    def restore(self, state: Any, number: int, step: int) -> bool:
        self._seed, self._first = state["seed"], state["first"]
        return False

    def _order(self, number: int) -> np.ndarray | None:
        """The order of one pass: of rows, of batches for shuffle='batch', or `None` if as they lie."""
        if not self._shuffle:
            return None
        rng = epoch_rng(self._seed, number)
        if self._by_batch:  # the smaller batch stays last
            return np.append(rng.permutation(self._full), self._full)
        return rng.permutation(self._rows)

    def _batch(self, order: np.ndarray | None, offset: int, count: int) -> Any:
        """`count` batches from batch `offset` of a pass on, stacked if there are several."""
        size = self._batch_rows
        rows: slice | np.ndarray = slice(offset * size, (offset + count) * size)
        if order is not None and self._by_batch:
            chunks = [slice(i * size, (i + 1) * size) for i in order[offset : offset + count].tolist()]
            parts = [[c and self._read(c, chunk, 1) for c in self._columns] for chunk in chunks]
            return pack_sequence_as(self._structure, stack_leaves(parts) if count > 1 else parts[0])
        if order is not None:
            rows = order[rows]
        leaves: list[Any] = [c and self._read(c, rows, count) for c in self._columns]
        if count > 1:
            leaves = [a if a is None else a.reshape(count, size, *a.shape[1:]) for a in leaves]
        return pack_sequence_as(self._structure, leaves)

    def _read(self, column: Column, rows: slice | np.ndarray, count: int) -> Any:
        """Rows of `count` batches; those that only other processes need are zeros if that saves reading them."""
        own = None if self._share is None else self._share.rows(self._batch_rows)
        is_view = isinstance(column, Memory) and isinstance(rows, slice)
        if own is None or is_view or not isinstance(column, (Memory, OnDisk)):
            return column.read(rows)
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(self._rows))
        if len(rows) < count * self._batch_rows:
            own = self._share and self._share.rows(len(rows))
            if own is None:
                return column.read(rows)
        wanted = rows.reshape(count, -1)[:, own]
        part = column.read(_as_slice(wanted[0]) if count == 1 else wanted.reshape(-1))
        if part.dtype.kind in "OSU":
            return column.read(rows)
        whole = np.zeros((count, len(rows) // count, *part.shape[1:]), part.dtype)
        whole[:, own] = part.reshape(*wanted.shape, *part.shape[1:])
        return whole.reshape(len(rows), *part.shape[1:])


def _as_slice(rows: np.ndarray) -> slice | np.ndarray:
    """Rows that lie together, as a slice, which files read faster."""
    first = int(rows[0])
    return (
        slice(first, first + len(rows)) if np.array_equal(rows, np.arange(first, first + len(rows))) else rows
    )


def _weighted(class_weight: ClassWeight, y: DataLike, weights: Any) -> Memory:
    """Sample weights that have the class weights in them, for all rows at once."""
    whole = class_weight.single(y).whole()
    return Memory(class_weight.sample_weight(whole, None if weights is None else weights.whole()))
