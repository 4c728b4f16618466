"""Metrics against Keras 3 on JAX: those it added, and the common ones over two batches."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

RANDOM = np.random.default_rng(5)
LABELS = RANDOM.integers(0, 2, (2, 6, 3)).astype("float32")
SCORES = RANDOM.uniform(0.02, 0.98, size=(2, 6, 3)).astype("float32")
NUMBERS = RANDOM.normal(size=(2, 6, 3)).astype("float32")
ONE_HOT = np.eye(3, dtype="float32")[RANDOM.integers(0, 3, (2, 6))]
CLASSES = RANDOM.integers(0, 3, (2, 6))
WEIGHTS = RANDOM.uniform(size=(2, 6)).astype("float32")

CASES: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("PearsonCorrelation", {}, NUMBERS, SCORES),
    ("PearsonCorrelation", {"axis": 0}, NUMBERS, SCORES),
    ("ConcordanceCorrelation", {}, NUMBERS, SCORES),
    ("FBetaScore", {"beta": 0.5}, LABELS, SCORES),
    ("F1Score", {"average": "micro", "threshold": 0.4}, LABELS, SCORES),
    ("R2Score", {}, NUMBERS, SCORES),
    ("BinaryAccuracy", {}, LABELS, SCORES),
    ("CategoricalAccuracy", {}, ONE_HOT, SCORES),
    ("SparseCategoricalAccuracy", {}, CLASSES, SCORES),
    ("SparseTopKCategoricalAccuracy", {"k": 2}, CLASSES, SCORES),
    ("MeanSquaredError", {}, NUMBERS, SCORES),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, CLASSES, SCORES),
    ("AUC", {}, LABELS, SCORES),
    ("AUC", {"curve": "PR", "multi_label": True}, LABELS, SCORES),
    ("Precision", {"thresholds": [0.3, 0.6]}, LABELS, SCORES),
    ("Recall", {"top_k": 2}, LABELS, SCORES),
    ("SensitivityAtSpecificity", {"specificity": 0.5}, LABELS, SCORES),
    ("BinaryIoU", {}, LABELS, SCORES),
    ("OneHotMeanIoU", {"num_classes": 3}, ONE_HOT, SCORES),
]
# One weight for each score rather than sample; and Keras 3 rounds the weights of its IoU to integers.
UNWEIGHTED = ("BinaryIoU", "OneHotMeanIoU")


def result_of(metric: Any, y_true: Any, y_pred: Any, weighted: bool) -> np.ndarray:
    for i in range(2):
        if weighted:
            metric.update_state(y_true[i], y_pred[i], sample_weight=WEIGHTS[i])
        else:
            metric.update_state(y_true[i], y_pred[i])
    return np.asarray(metric.result())


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("name", "arguments", "y_true", "y_pred"), CASES, ids=lambda v: str(v) if np.ndim(v) == 0 else ""
)
def test_metric_gives_what_keras_3_gives(
    keras: ModuleType, name: str, arguments: dict[str, Any], y_true: Any, y_pred: Any, weighted: bool
) -> None:
    weighted = weighted and name not in UNWEIGHTED and arguments.get("axis") != 0
    ours = result_of(getattr(tf.keras.metrics, name)(**arguments), y_true, y_pred, weighted)
    theirs = result_of(getattr(keras.metrics, name)(**arguments), y_true, y_pred, weighted)
    # Keras 3 adds 1e-7 to the denominators of its F scores.
    np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["pearson_correlation", "concordance_correlation", "categorical_accuracy"])
def test_function_gives_what_keras_3_gives(keras: ModuleType, name: str) -> None:
    ours = getattr(tf.keras.metrics, name)(LABELS[0], SCORES[0]).numpy()
    theirs = np.asarray(getattr(keras.metrics, name)(LABELS[0], SCORES[0]))
    np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=1e-6)
