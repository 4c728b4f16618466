"""How alike predictions and labels run: cosine similarity and correlations."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import config
from tapeflow.keras.metrics.weighting import squeezed
from tapeflow.keras.metrics.wrapper import MeanMetricWrapper


def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> tf.Tensor:
    """The cosine of the angle between the two along `axis`: 1 for the same direction.

    The loss of this name is its negative.
    """
    predictions = tf.convert_to_tensor(y_pred)
    labels = tf.cast(y_true, predictions.dtype)
    product = tf.math.l2_normalize(labels, axis=axis) * tf.math.l2_normalize(predictions, axis=axis)
    return tf.reduce_sum(product, axis=axis)


cosine_proximity = cosine_similarity


def pearson_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> tf.Tensor:
    """The correlation coefficient along `axis`, in [-1, 1]."""
    labels, predictions = _pair(y_true, y_pred)
    return tf.reduce_mean(_standardised(labels, axis) * _standardised(predictions, axis), axis=axis)


def concordance_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> tf.Tensor:
    """As the correlation, but less for a wrong mean or scale too."""
    labels, predictions = _pair(y_true, y_pred)
    true_mean = tf.reduce_mean(labels, axis=axis, keepdims=True)
    pred_mean = tf.reduce_mean(predictions, axis=axis, keepdims=True)
    true_variance = tf.math.reduce_variance(labels, axis=axis, keepdims=True)
    pred_variance = tf.math.reduce_variance(predictions, axis=axis, keepdims=True)
    covariance = (labels - true_mean) * (predictions - pred_mean)
    spread = true_variance + pred_variance + tf.square(true_mean - pred_mean)
    return tf.reduce_mean(2.0 * covariance / (spread + config.epsilon()), axis=axis)


def _pair(y_true: TensorLike, y_pred: TensorLike) -> tuple[tf.Tensor, tf.Tensor]:
    predictions = tf.convert_to_tensor(y_pred)
    return squeezed(tf.cast(y_true, predictions.dtype), predictions)


def _standardised(values: tf.Tensor, axis: int) -> tf.Tensor:
    centred = values - tf.reduce_mean(values, axis=axis, keepdims=True)
    return centred / tf.math.reduce_std(centred, axis=axis, keepdims=True)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between labels and predictions."""

    def __init__(self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(cosine_similarity, name, dtype=dtype, axis=axis)


class PearsonCorrelation(MeanMetricWrapper):
    """The mean of the correlation coefficients along `axis`."""

    def __init__(self, name: str | None = "pearson_correlation", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(pearson_correlation, name, dtype=dtype, axis=axis)


class ConcordanceCorrelation(MeanMetricWrapper):
    """The mean of the concordance correlation coefficients along `axis`."""

    def __init__(
        self, name: str | None = "concordance_correlation", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(concordance_correlation, name, dtype=dtype, axis=axis)
