"""`class_weight`: a weight for each class, turned into a weight for each sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeflow.engine.values.nest import is_nested
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.training.sources.leaves import in_floatx
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight


class ClassWeight:
    """A table of weights by class id, from the dict a user gave to `fit`."""

    def __init__(self, weights: Mapping[int, float]) -> None:
        if sorted(weights) != list(range(len(weights))):
            raise ValueError(
                "Expected `class_weight` to be a dict with keys from 0 to one less than the number of "
                f"classes, found {dict(weights)}"
            )
        self._table = in_floatx(np.array([weights[i] for i in range(len(weights))], np.float64))

    def __call__(self, data: Any) -> tuple[Any, Any, Any]:
        """A batch with the class weights in its sample weights."""
        x, y, weight = unpack_x_y_sample_weight(data)
        return x, y, self.sample_weight(self.single(y), weight)

    def single(self, y: DataLike) -> Any:
        """`y`, if the model has one output and so there is one y to take the classes from."""
        if is_nested(y):
            raise ValueError(
                "`class_weight` is only supported for Models with a single output. "
                "Pass sample_weight, a list with an array for each output, instead."
            )
        if y is None:
            raise ValueError("`class_weight` expected y to take the classes from; got y=None. Pass y.")
        return y

    def sample_weight(self, y: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
        """The weight of each sample's class, times the weight it had.

        A last axis of several entries is one-hot, or probabilities; otherwise y holds class ids.
        """
        if y.ndim >= 2 and y.shape[-1] > 1:
            classes = y.argmax(axis=-1)
        else:
            classes = np.rint(y[..., 0] if y.ndim >= 2 else y).astype(np.int64)
        if classes.size and not 0 <= classes.min() <= classes.max() < len(self._table):
            raise ValueError(
                f"`class_weight` expected labels from 0 to {len(self._table) - 1}, one for each weight; got "
                f"labels from {classes.min()} to {classes.max()}. Add a weight for every class."
            )
        by_class = self._table[classes]
        if weight is None:
            return by_class
        missing_axes = (1,) * (by_class.ndim - weight.ndim)
        return in_floatx(weight.reshape(*weight.shape, *missing_axes) * by_class)
