"""`validation_split`: the last part of the arrays, set aside before anything is shuffled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow.engine.values.nest import flatten, map_structure
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.training.sources.leaves import Table, is_scalars, map_leaves, to_array
from tapeflow.ops.ragged.tensor import RaggedTensor


def split_validation(
    x: DataLike, y: DataLike, sample_weight: DataLike, validation_split: float
) -> tuple[tuple[Any, Any, Any], tuple[Any, Any, Any]]:
    """`(x, y, sample_weight)` to train on and to validate with.

    Only data that can be sliced can be split: arrays, tensors, pandas objects, lists of numbers.
    """
    unsplittable: list[type] = []

    def sliceable(leaf: object) -> Any:
        if leaf is None or isinstance(leaf, (np.ndarray, TensorBase, RaggedTensor)):
            return leaf
        if isinstance(leaf, Table) or (isinstance(leaf, (list, tuple)) and is_scalars(leaf)):
            return to_array(leaf)
        unsplittable.append(type(leaf))
        return None

    parts = tuple(map_leaves(sliceable, part) for part in (x, y, sample_weight))
    if unsplittable:
        raise ValueError(
            "`validation_split` is only supported for Tensors or NumPy arrays, found following types in "
            f"the input: {unsplittable}. Pass validation_data instead."
        )
    if not 0 < validation_split < 1:
        raise _insufficient(_row_count(parts), validation_split)
    rows = _row_count(parts)
    at = math.floor(rows * (1.0 - validation_split))
    if at in (0, rows):
        raise _insufficient(rows, validation_split)
    return _cut(parts, slice(0, at)), _cut(parts, slice(at, rows))


def _row_count(parts: Any) -> int:
    return next((int(leaf.shape[0]) for leaf in flatten(parts) if leaf is not None), 0)


def _cut(parts: Any, rows: slice) -> Any:
    return map_structure(lambda leaf: leaf if leaf is None else leaf[rows], parts)


def _insufficient(rows: int, validation_split: float) -> ValueError:
    return ValueError(
        f"Training data contains {rows} samples, which is not sufficient to split it into a validation and "
        f"training set as specified by `validation_split={validation_split}`. Either provide more data, or "
        "a different value for the `validation_split` argument."
    )
