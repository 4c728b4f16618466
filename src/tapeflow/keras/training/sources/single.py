"""`single_batch`: what `train_on_batch` and its kin are given, as `train_step` gets it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeflow.engine.values.nest import flatten, map_structure
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.training.sources.class_weight import ClassWeight
from tapeflow.keras.training.sources.leaves import is_scalars, map_leaves, no_adapter, to_array
from tapeflow.keras.training.sources.samples import check_rows, fill_weights
from tapeflow.keras.utils.samples import pack_x_y_sample_weight


def single_batch(
    x: DataLike,
    y: DataLike = None,
    sample_weight: DataLike = None,
    class_weight: Mapping[int, float] | None = None,
) -> Any:
    """One batch. Tensors stay tensors: what they hold may not have been computed yet."""
    if isinstance(x, (str, bytes)) or (is_scalars(x) and not isinstance(x, (list, tuple))):
        raise no_adapter(x, y)
    parts = [map_leaves(_leaf, part) for part in (x, y, sample_weight)]
    rows = check_rows([_with_rows(parts[0]), *parts[1:]])
    parts[2] = fill_weights(parts[1], parts[2], lambda: np.ones(rows, np.float32))
    if class_weight:
        parts = ClassWeight(class_weight)(map_structure(to_array, tuple(parts)))
    return pack_x_y_sample_weight(*parts)


def _with_rows(x: DataLike) -> Any:
    """The inputs that have samples; a model may take numbers beside them, such as where to cut a slice."""
    leaves = [leaf for leaf in flatten(x) if leaf is not None and len(leaf.shape)]
    return leaves or x


def _leaf(leaf: object) -> Any:
    return leaf if isinstance(leaf, TensorBase) else to_array(leaf)
