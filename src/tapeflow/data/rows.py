"""Rows: how the handles that flow through a pipeline become elements.

Where elements have numbers (slices of arrays, a range), the pipeline moves numbers: shuffling, repeating
and taking touch no data, and a batch is one gather. Elsewhere the handle of an element is the element.
Handles travel in numpy arrays whose first axis counts elements: integers of shape (n,) or, for several
sources side by side, (n, sources); or objects, each a flat element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.data import composites
from tapeflow.data.composites import COMPOSITES
from tapeflow.data.structure import Flat
from tapeflow.engine import errors
from tapeflow.engine.devices import host_memory
from tapeflow.engine.values.annotations import TensorLike


def objects(elements: Sequence[Flat]) -> np.ndarray:
    """Elements as an array of handles."""
    handles = np.empty(len(elements), object)
    for i, element in enumerate(elements):  # `handles[:] = elements` would look inside the tuples
        handles[i] = element
    return handles


class Rows:
    """Where handles lead.

    `width` is how many integers a handle has, 0 if it is the element itself; `is_computed` tells whether
    there is a user's function between the data and the element.
    """

    width = 1
    is_computed = False

    def gather(self, handles: np.ndarray, most: int = 0) -> Flat:
        """The elements, stacked: one array for each component.

        Args:
            handles: of the elements.
            most: how many there are at a time, if these may be fewer, being the last ones.
        """
        raise NotImplementedError

    def elements(self, handles: np.ndarray) -> np.ndarray:
        """The elements one by one, as object handles."""
        columns = self.gather(handles)
        return objects([tuple([c[i, ...] for c in columns]) for i in range(len(handles))])

    def empty(self) -> np.ndarray:
        """No handle."""
        return np.empty((0,) if self.width == 1 else (0, self.width), np.int64)


class ObjectRows(Rows):
    """Handles that are the elements."""

    width = 0

    def gather(self, handles: np.ndarray, most: int = 0) -> Flat:
        return stacked(list(handles))

    def elements(self, handles: np.ndarray) -> np.ndarray:
        return handles

    def empty(self) -> np.ndarray:
        return np.empty(0, object)


OBJECTS = ObjectRows()


class ArrayRows(Rows):
    """The rows of arrays of one length."""

    def __init__(self, columns: Sequence[np.ndarray]) -> None:
        self.columns = tuple(columns)

    def gather(self, handles: np.ndarray, most: int = 0) -> Flat:
        count = len(handles)
        if count:
            first = int(handles[0])
            if int(handles[-1]) - first == count - 1 and (count < 3 or bool((np.diff(handles) == 1).all())):
                return tuple([c[first : first + count] for c in self.columns])
        return tuple([host_memory.taken(c, handles) for c in self.columns])

    def elements(self, handles: np.ndarray) -> np.ndarray:
        columns = self.columns
        return objects([tuple([c[i, ...] for c in columns]) for i in handles.tolist()])


class RangeRows(Rows):
    """The numbers `start + step * handle`."""

    def __init__(self, start: int, step: int, dtype: np.dtype) -> None:
        self.start, self.step, self.dtype = start, step, dtype

    def gather(self, handles: np.ndarray, most: int = 0) -> Flat:
        return ((self.start + self.step * handles).astype(self.dtype),)


class ZippedRows(Rows):
    """Several sources side by side: a handle is one of each."""

    def __init__(self, parts: Sequence[Rows]) -> None:
        self.parts = tuple(parts)
        self.width = sum(p.width for p in parts)
        self.is_computed = any(p.is_computed for p in parts)

    def _split(self, handles: np.ndarray) -> list[tuple[Rows, np.ndarray]]:
        found, at = [], 0
        for part in self.parts:
            columns = handles[:, at] if part.width == 1 else handles[:, at : at + part.width]
            found.append((part, columns))
            at += part.width
        return found

    def gather(self, handles: np.ndarray, most: int = 0) -> Flat:
        return tuple([c for part, own in self._split(handles) for c in part.gather(own, most)])

    def elements(self, handles: np.ndarray) -> np.ndarray:
        parts = [part.elements(own) for part, own in self._split(handles)]
        return objects([tuple([c for e in row for c in e]) for row in zip(*parts, strict=True)])


def beside(handles: Sequence[np.ndarray]) -> np.ndarray:
    """Integer handles of several sources as handles of all of them."""
    return np.concatenate([h[:, None] if h.ndim == 1 else h for h in handles], axis=1)


def stacked(elements: Sequence[Flat]) -> Flat:
    """Elements as one array for each component; their shapes must agree."""
    columns = []
    for k, first in enumerate(elements[0]):
        if isinstance(first, COMPOSITES):
            columns.append(composites.together([e[k] for e in elements]))
            continue
        if not isinstance(first, np.ndarray):
            raise TypeError(
                "tf.data.Dataset.batch expected components that are tensors; got a component that is a "
                "dataset. Use flat_map or interleave, such as ds.flat_map(lambda window: window.batch(3))."
            )
        shape = first.shape
        column = host_memory.empty((len(elements), *shape), first.dtype)
        for i, element in enumerate(elements):
            part = element[k]
            if part.shape != shape:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Cannot batch tensors with different shapes in component {k}. First element had shape "
                    f"{list(shape)} and element {i} had shape {list(part.shape)}. Use padded_batch, or make "
                    "the shapes alike with map.",
                )
            column[i] = part if shape else part[()]
        columns.append(column)
    return tuple(columns)


def split_rows(columns: Sequence[np.ndarray]) -> list[Flat]:
    """The rows of components, one by one."""
    if all(isinstance(c, np.ndarray) for c in columns):
        return [tuple([c[i, ...] for c in columns]) for i in range(len(columns[0]))]
    count = composites.row_count(columns[0])
    return [tuple([composites.row(c, i) for c in columns]) for i in range(count)]


def frozen(array: TensorLike) -> Any:
    """The array, marked as not to be written to: parts of it are handed out without a copy."""
    if isinstance(array, np.ndarray):
        array.flags.writeable = False
    return array
