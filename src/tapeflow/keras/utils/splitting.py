"""`split_dataset`: a dataset, or arrays, in two parts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tapeflow.data import AUTOTUNE, Dataset
from tapeflow.data.steps.batching import Batch
from tapeflow.engine.values import nest


def split_dataset(
    dataset: Any,
    left_size: float | None = None,
    right_size: float | None = None,
    shuffle: bool = False,
    seed: int | None = None,
) -> tuple[Dataset, Dataset]:
    """The first elements of a dataset, and the last.

    >>> left, right = tf.keras.utils.split_dataset(np.arange(10), left_size=0.8)
    >>> len(left), len(right)
    (8, 2)

    Args:
        dataset: a `tf.data.Dataset`, an array, or a list or tuple of arrays of one length.
        left_size: how many elements, or which share of them; what the right leaves unless given.
        right_size: likewise.
        shuffle: whether to shuffle all elements first.
        seed: for the same order again.
    """
    where = "tf.keras.utils.split_dataset"
    if left_size is None and right_size is None:
        raise ValueError(f"{where} expected left_size or right_size: at least one of them must be given.")
    rows = _rows(dataset, where)
    count = int(rows.cardinality()) if int(rows.cardinality()) >= 0 else sum(1 for _ in rows)
    left, right = _sizes(left_size, right_size, count, where)
    numbers = list(range(count))
    if shuffle:
        random.Random(seed if seed is not None else random.randrange(1_000_000)).shuffle(numbers)
    size = dataset._pipe.size if isinstance(dataset, Dataset) and isinstance(dataset._pipe, Batch) else None
    both = []
    for chosen in (numbers[:left], numbers[count - right :]):
        part = _chosen(rows, chosen)
        part = part if size is None else part.batch(size)
        both.append(part.prefetch(AUTOTUNE))
    return both[0], both[1]


def _rows(dataset: Any, where: str) -> Dataset:
    if isinstance(dataset, Dataset):
        return dataset.unbatch() if isinstance(dataset._pipe, Batch) else dataset
    if isinstance(dataset, np.ndarray):
        return Dataset.from_tensor_slices(dataset)
    if isinstance(dataset, (list, tuple)) and dataset:
        return Dataset.from_tensor_slices(tuple(np.asarray(d) for d in dataset))
    raise TypeError(
        f"{where} expected a tf.data.Dataset, an array, or a list or tuple of arrays; got {type(dataset).__name__}."
    )


def _chosen(rows: Dataset, numbers: list[int]) -> Dataset:
    """The elements with these numbers, in this order."""
    elements = list(rows._array_iterator())
    chosen = [nest.flatten(elements[i]) for i in numbers]
    columns = [np.stack(column) for column in zip(*chosen, strict=True)]
    return Dataset.from_tensor_slices(nest.pack_sequence_as(elements[0], columns))


def _sizes(left: float | None, right: float | None, count: int, where: str) -> tuple[int, int]:
    found = []
    for name, size in (("left_size", left), ("right_size", right)):
        if size is not None and (isinstance(size, bool) or not isinstance(size, (int, float))):
            raise TypeError(f"{where} expected {name} to be a number or None; got {name}={size!r}.")
        limit = 1 if isinstance(size, float) else count
        if size is not None and not 0 < size < limit:
            raise ValueError(
                f"{where} expected {name} to be a number of elements between 0 and {count}, or a share between 0 "
                f"and 1; got {name}={size!r}."
            )
        found.append(round(size * count) if isinstance(size, float) else size)
    first, last = found
    first = count - last if first is None else first
    last = count - first if last is None else last
    if first + last > count or not first or not last:
        raise ValueError(
            f"{where} expected two parts of {count} elements, neither of them empty; got left_size={left!r}, "
            f"right_size={right!r}."
        )
    return first, last
