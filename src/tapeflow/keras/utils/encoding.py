"""Labels as vectors, and vectors of length one: `to_categorical`, `to_ordinal`, `normalize`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor


def to_categorical(y: Any, num_classes: int | None = None, dtype: str = "float32") -> np.ndarray:
    """Integer labels as rows that are 1 at the label and 0 elsewhere.

    Args:
        y: integers from 0; a last axis of length 1 is dropped.
        num_classes: how many; by default the largest label and one.
        dtype: of the result.

    >>> tf.keras.utils.to_categorical([0, 2], num_classes=3)
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    labels, shape, count = _read_labels(y, num_classes, "to_categorical")
    rows = np.zeros((labels.size, count), dtype)
    rows[np.arange(labels.size), labels] = 1
    return rows.reshape(*shape, count)


def to_ordinal(y: Tensor, num_classes: int | None = None, dtype: str = "float32") -> np.ndarray:
    """Integer labels as rows that are 1 below the label: one column for each step between classes.

    >>> tf.keras.utils.to_ordinal([0, 1, 2])
    array([[0., 0.],
           [1., 0.],
           [1., 1.]], dtype=float32)
    """
    labels, shape, count = _read_labels(y, num_classes, "to_ordinal")
    rows = (np.arange(count - 1) < labels[:, None]).astype(dtype)
    return rows.reshape(*shape, count - 1)


def normalize(x: TensorLike, axis: int = -1, order: Any = 2) -> Any:
    """Divide `x` by its norm of this order along `axis`; unchanged where the norm is 0."""
    norms = np.atleast_1d(np.linalg.norm(np.asarray(x), order, axis))
    norms[norms == 0] = 1
    return (np.asarray(x) if isinstance(x, (list, tuple)) else x) / np.expand_dims(norms, axis)


def _read_labels(
    y: TensorLike, num_classes: int | None, where: str
) -> tuple[np.ndarray, tuple[int, ...], int]:
    """The labels in one row, the shape they had, and how many classes there are."""
    array = np.asarray(y).astype(np.int64)
    shape = array.shape
    if len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    labels = array.reshape(-1)
    if not num_classes and labels.size == 0:
        raise ValueError(
            f"tf.keras.utils.{where} expected at least one label to tell the number of classes from; "
            f"got y of shape {array.shape}. Pass num_classes."
        )
    count = int(num_classes) if num_classes else int(labels.max()) + 1
    if labels.size and not 0 <= labels.min() <= labels.max() < count:
        wrong = labels.max() if labels.max() >= count else labels.min()
        raise IndexError(
            f"tf.keras.utils.{where} expected labels from 0 to {count - 1}, as num_classes={count}; "
            f"got the label {wrong}. Count the classes again, or number the labels from 0."
        )
    return labels, shape, count
