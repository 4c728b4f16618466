"""F scores: precision and recall in one number."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.metrics.weighting import as_tensor, as_weights
from tapeflow.ops.training.metric_totals import add_f_score_counts
from tapeflow.ops.variables.update import update_variables


class FBetaScore(Metric):
    """(1 + beta²) · precision · recall / (beta² · precision + recall).

    Args:
        average: None for a score of each class, 'micro' over all predictions, 'macro' for the mean over
            classes, 'weighted' for the mean weighted by how often a class occurs.
        beta: the weight of recall against precision.
        threshold: above which a score is positive; the largest of a row if None.
        name: the key in logs.
        dtype: of the result.
    """

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        _check_arguments(type(self).__name__, average, beta, threshold)
        self.average = average
        self.beta = beta
        self.threshold = threshold
        self._totals: list[Any] = []

    def _build(self, true_shape: tuple[int, ...], pred_shape: tuple[int, ...]) -> None:
        if len(true_shape) != 2 or len(pred_shape) != 2:
            raise ValueError(
                f"{type(self).__name__} expects 2D inputs with shape (batch_size, output_dim). Received input "
                f"shapes: y_pred.shape={pred_shape} and y_true.shape={true_shape}. Pass one-hot labels: "
                "tf.one_hot(y_true, classes)."
            )
        shape = () if self.average == "micro" else (pred_shape[-1],)
        names = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")
        self._totals = [self.add_weight(name, shape=shape, initializer="zeros") for name in names]
        self.true_positives, self.false_positives, self.false_negatives, self.intermediate_weights = (
            self._totals
        )

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: np.ndarray | None = None
    ) -> None:
        """Add a batch of one-hot labels and scores, both of shape (batch, classes)."""
        labels, predictions = as_tensor(y_true), as_tensor(y_pred)
        if not self._totals:
            self._build(labels.spec.shape, predictions.spec.shape)
        update_variables(
            tuple(self._totals),
            add_f_score_counts,
            labels,
            predictions,
            as_weights(sample_weight, self._dtype),
            threshold=self.threshold,
            per_class=self.average != "micro",
        )

    def result(self) -> Tensor:
        """The score, or one for each class."""
        if not self._totals:
            raise ValueError(f"{type(self).__name__} does not have any value yet. Call update_state first.")
        divide = tf.math.divide_no_nan
        precision = divide(self.true_positives, self.true_positives + self.false_positives)
        recall = divide(self.true_positives, self.true_positives + self.false_negatives)
        squared = self.beta**2
        scores = divide(precision * recall, squared * precision + recall) * (1 + squared)
        if self.average == "weighted":
            shares = divide(self.intermediate_weights, tf.reduce_sum(self.intermediate_weights))
            return tf.reduce_sum(scores * shares)
        return scores if self.average is None else tf.reduce_mean(scores)

    def get_config(self) -> dict[str, Any]:
        given = {"average": self.average, "beta": self.beta, "threshold": self.threshold}
        return {**super().get_config(), **given}


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall. Arguments as `FBetaScore`."""

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self) -> dict[str, Any]:
        return {key: value for key, value in super().get_config().items() if key != "beta"}


def _check_arguments(where: str, average: str | None, beta: float, threshold: float | None) -> None:
    if average not in (None, "micro", "macro", "weighted"):
        raise ValueError(
            f"{where} got an invalid `average` argument value. Expected one of: {{None, 'micro', 'macro', "
            f"'weighted'}}. Received: average={average}"
        )
    if not isinstance(beta, float):
        raise ValueError(
            f"{where} got an invalid `beta` argument value. It should be a Python float. Received: "
            f"beta={beta} of type '{type(beta)}'"
        )
    if beta <= 0.0:
        raise ValueError(
            f"{where} got an invalid `beta` argument value. It should be > 0. Received: beta={beta}"
        )
    if threshold is None:
        return
    if not isinstance(threshold, float):
        raise ValueError(
            f"{where} got an invalid `threshold` argument value. It should be a Python float. Received: "
            f"threshold={threshold} of type '{type(threshold)}'"
        )
    if not 0.0 < threshold <= 1.0:
        raise ValueError(
            f"{where} got an invalid `threshold` argument value. It should verify 0 < threshold <= 1. "
            f"Received: threshold={threshold}"
        )
