"""Metrics that reduce values to one number or one tensor: `Mean`, `Sum`, `MeanTensor`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.recording.op import Op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.metrics.weighting import as_tensor, number
from tapeflow.ops.training.metric_totals import (
    add_sum,
    add_weighted_batch,
    add_weighted_mean,
    add_weighted_sum,
)
from tapeflow.ops.variables.update import update_variable, update_variables


class Sum(Metric):
    """The weighted sum of all values.

    >>> float(tf.keras.metrics.Sum()([1.0, 3.0, 5.0, 7.0]))
    16.0
    """

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total", initializer="zeros")

    def update_state(self, values: TensorLike, sample_weight: Sequence[float] | None = None) -> None:
        """Add values of any shape."""
        values = _as_values(values)
        if sample_weight is None:
            _add(self.total, values)
        else:
            update_variable(self.total, add_weighted_sum, values, as_tensor(sample_weight))

    def result(self) -> Tensor:
        """The sum."""
        return tf.identity(self.total)


class Mean(Metric):
    """The mean of all values, weighted by their weights; 0 before the first.

    >>> float(tf.keras.metrics.Mean()([1.0, 3.0, 5.0, 7.0], sample_weight=[1, 1, 0, 0]))
    2.0
    """

    _add_weighted: ClassVar[Op] = add_weighted_mean

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total", initializer="zeros")
        self.count = self.add_weight("count", initializer="zeros")

    def update_state(self, values: TensorLike, sample_weight: TensorLike | None = None) -> None:
        """Add values of any shape."""
        values = _as_values(values)
        if sample_weight is None:
            _add(self.total, values)
            self.count.assign_add(number(math.prod(values.spec.shape), self._dtype))
        else:
            weights = as_tensor(sample_weight)
            update_variables((self.total, self.count), self._add_weighted, values, weights)

    def result(self) -> Tensor:
        """The mean."""
        return tf.math.divide_no_nan(self.total, self.count)


class SumOverBatchSize(Mean):
    """The sum of the weighted values over their number: unlike in `Mean`, weights do not normalise."""

    _add_weighted = add_weighted_batch

    def __init__(self, name: str | None = "sum_over_batch_size", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


class MeanTensor(Metric):
    """The element-wise mean of tensors of one shape.

    Args:
        name: the key in logs.
        dtype: of the result.
        shape: the shape of the tensors; that of the first one if not given.
    """

    def __init__(self, name: str | None = "mean_tensor", dtype: Any = None, shape: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total: Any = None
        self.count: Any = None
        if shape is not None:
            self._build(tuple(shape))

    def _build(self, shape: tuple[int, ...]) -> None:
        self.total = self.add_weight("total", shape=shape, initializer="zeros")
        self.count = self.add_weight("count", shape=shape, initializer="zeros")

    def update_state(self, values: Any, sample_weight: Sequence[float] | None = None) -> None:
        """Add one tensor."""
        values = tf.cast(values, self._dtype)
        total, count = self._totals_for(values.spec.shape)
        if sample_weight is None:
            total.assign_add(values)
            count.assign_add(tf.ones_like(values))
            return
        weights = tf.cast(sample_weight, self._dtype)
        if 0 < weights.ndim == values.ndim - 1:
            weights = tf.expand_dims(weights, -1)
        total.assign_add(values * weights)
        count.assign_add(tf.broadcast_to(weights, values.shape))

    def _totals_for(self, shape: tuple[int, ...]) -> tuple[Any, Any]:
        if self.total is None:
            self._build(shape)
        elif shape != tuple(self.total.shape):
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set during the "
                f"first call): {self.total.shape}. Got: {shape}. Use another MeanTensor for it."
            )
        return self.total, self.count

    def result(self) -> Tensor:
        """The mean, of the shape of the tensors."""
        if self.total is None:
            raise ValueError(
                "MeanTensor does not have any value yet. Please call the MeanTensor instance or use "
                "`.update_state(value)` before retrieving the result."
            )
        return tf.math.divide_no_nan(self.total, self.count)


def _as_values(values: TensorLike) -> tf.Tensor:
    if isinstance(values, dict):
        raise RuntimeError(
            f"The output of a metric function can only be a single Tensor. Received: {values}. To return a "
            "dict of values, implement a custom Metric subclass."
        )
    return as_tensor(values)


def _add(total: Variable, values: tf.Tensor) -> None:
    """Add the sum of `values`; a scalar of the right dtype, such as a loss, needs no op of its own."""
    if not values.spec.shape and values.spec.dtype is total.dtype:
        total.assign_add(values)
    else:
        update_variable(total, add_sum, values)
