"""`R2Score`: how much of the variance a regression explains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.metrics.weighting import as_tensor, as_weights, number
from tapeflow.ops.training.metric_totals import add_squares
from tapeflow.ops.variables.update import update_variables

_AGGREGATIONS = (None, "uniform_average", "variance_weighted_average")


class R2Score(Metric):
    """1 - squared error / variance, the coefficient of determination.

    Args:
        class_aggregation: None for a score of each column, 'uniform_average' for their mean,
            'variance_weighted_average' for a mean weighted by the columns' variance.
        num_regressors: how many inputs the model has, to give the adjusted score; 0 for the plain one.
        name: the key in logs.
        dtype: of the result.
    """

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if class_aggregation not in _AGGREGATIONS:
            raise ValueError(
                "R2Score got an invalid value for argument `class_aggregation`. Expected one of "
                f"{_AGGREGATIONS}. Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "R2Score got an invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
                f"num_regressors={num_regressors}"
            )
        self.class_aggregation = class_aggregation
        self.num_regressors = num_regressors
        self.num_samples = self.add_weight(name="num_samples", dtype="int32")
        self._totals: list[Any] = []

    def _build(self, true_shape: tuple[int, ...], pred_shape: tuple[int, ...]) -> None:
        if len(true_shape) != 2 or len(pred_shape) != 2:
            raise ValueError(
                "R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={pred_shape} and y_true.shape={true_shape}. For one output use "
                "tf.expand_dims(y_true, -1)."
            )
        names = ("squared_sum", "sum", "residual", "count")
        sizes = (pred_shape[-1],)
        self._totals = [self.add_weight(name=n, shape=sizes, initializer="zeros") for n in names]
        self.squared_sum, self.sum, self.total_mse, self.count = self._totals

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: np.ndarray | None = None
    ) -> None:
        """Add a batch of shape (batch, outputs)."""
        labels, predictions = as_tensor(y_true), as_tensor(y_pred)
        if not self._totals:
            self._build(labels.spec.shape, predictions.spec.shape)
        weights = as_weights(sample_weight, self._dtype)
        update_variables(tuple(self._totals), add_squares, labels, predictions, weights)
        self.num_samples.assign_add(number(math.prod(labels.spec.shape), "int32"))

    def result(self) -> Tensor:
        """The score, or one for each column."""
        if not self._totals:
            raise ValueError("R2Score does not have any value yet. Call update_state first.")
        # In double precision: sums that are almost equal are taken from one another.
        squares, total, count, error = (
            tf.cast(v, tf.float64) for v in (self.squared_sum, self.sum, self.count, self.total_mse)
        )
        variance = squares - total * (total / count)
        scores = 1.0 - error / variance
        scores = tf.where(tf.math.is_inf(scores), tf.zeros_like(scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = tf.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = tf.reduce_sum(variance * scores) / tf.reduce_sum(variance)
        return tf.cast(scores if self.num_regressors == 0 else self._adjusted(scores), self._dtype)

    def _adjusted(self, scores: tf.Tensor) -> tf.Tensor:
        """The adjusted score; the plain one as long as there are no more samples than regressors."""
        samples = tf.cast(self.num_samples, scores.dtype)
        free = samples - self.num_regressors - 1.0
        adjusted = 1.0 - (1.0 - scores) * (samples - 1.0) / tf.maximum(free, 1.0)
        return tf.where(free > 0, adjusted, scores)

    def get_config(self) -> dict[str, Any]:
        given = {"class_aggregation": self.class_aggregation, "num_regressors": self.num_regressors}
        return {**super().get_config(), **given}
