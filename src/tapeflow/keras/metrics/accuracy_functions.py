"""The accuracies as functions of one batch: 1 where a prediction is right, 0 where it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import config
from tapeflow.keras.metrics.match_shapes import check_match_shapes
from tapeflow.keras.metrics.weighting import as_tensor
from tapeflow.ops.training.metric_totals import (
    BINARY,
    BINARY_MEAN,
    CATEGORICAL,
    EQUAL,
    SPARSE,
    SPARSE_TOP_K,
    TOP_K,
    Matching,
)


def _matches(matching: Matching, y_true: TensorLike, y_pred: TensorLike, **statics: Any) -> tf.Tensor:
    labels, predictions = as_tensor(y_true), as_tensor(y_pred)
    check_match_shapes(matching.name, labels.spec.shape, predictions.spec.shape)
    return matching.matches(labels, predictions, dtype=tf.as_dtype(config.floatx()), **statics)


def accuracy(y_true: Sequence[int], y_pred: Sequence[int]) -> tf.Tensor:
    """1 where the two are equal; class numbers against class numbers."""
    return _matches(EQUAL, y_true, y_pred)


def binary_matches(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> tf.Tensor:
    """1 where `y_pred > threshold` equals `y_true`, element by element."""
    return _matches(BINARY, y_true, y_pred, threshold=float(threshold))


def binary_accuracy(y_true: Sequence[Any], y_pred: Sequence[Any], threshold: float = 0.5) -> tf.Tensor:
    """The fraction of elements for which `y_pred > threshold` equals `y_true`, over the last axis.

    >>> tf.keras.metrics.binary_accuracy([[1], [1], [0]], [[1.0], [0.4], [0.2]]).numpy()
    array([1., 0., 1.], dtype=float32)
    """
    return _matches(BINARY_MEAN, y_true, y_pred, threshold=float(threshold))


def categorical_accuracy(y_true: Sequence[Any], y_pred: Sequence[Any]) -> tf.Tensor:
    """1 where the largest of `y_pred` is where the largest of the one-hot `y_true` is."""
    return _matches(CATEGORICAL, y_true, y_pred)


def sparse_categorical_accuracy(y_true: Sequence[Any], y_pred: Sequence[Any]) -> tf.Tensor:
    """1 where the largest of `y_pred` is at the class number `y_true`.

    >>> tf.keras.metrics.sparse_categorical_accuracy([2, 1], [[0.1, 0.2, 0.7], [0.9, 0.1, 0.0]]).numpy()
    array([1., 0.], dtype=float32)
    """
    matches = _matches(SPARSE, y_true, y_pred)
    shape = matches.spec.shape
    return tf.reshape(matches, shape[:-1]) if len(shape) > 1 and shape[-1] == 1 else matches


def top_k_categorical_accuracy(y_true: Sequence[Any], y_pred: Sequence[Any], k: int = 5) -> tf.Tensor:
    """1 where the class of the one-hot `y_true` is among the `k` largest of `y_pred`."""
    return _matches(TOP_K, y_true, y_pred, k=int(k))


def sparse_top_k_categorical_accuracy(y_true: Sequence[int], y_pred: Sequence[Any], k: int = 5) -> tf.Tensor:
    """1 where the class number `y_true` is among the `k` largest of `y_pred`."""
    return _matches(SPARSE_TOP_K, y_true, y_pred, k=int(k))


acc = ACC = accuracy

# The functions whose running mean is one op: `MeanMetricWrapper` looks here.
MATCHINGS: dict[Callable[..., Any], Matching] = {
    accuracy: EQUAL,
    binary_matches: BINARY,
    binary_accuracy: BINARY_MEAN,
    categorical_accuracy: CATEGORICAL,
    sparse_categorical_accuracy: SPARSE,
    top_k_categorical_accuracy: TOP_K,
    sparse_top_k_categorical_accuracy: SPARSE_TOP_K,
}
