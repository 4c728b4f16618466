"""`AUC` against exact areas, and its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.metrics import AUC

RANDOM = np.random.default_rng(2)
LABELS = RANDOM.integers(0, 2, (400, 3))
SCORES = np.clip(LABELS * 0.3 + RANDOM.uniform(size=(400, 3)) * 0.7, 0, 1).astype("float32")


def exact_roc(labels: np.ndarray, scores: np.ndarray) -> float:
    """The probability that a positive has a larger score than a negative."""
    positive, negative = scores[labels > 0], scores[labels == 0]
    larger = positive[:, None] > negative[None]
    return float(np.mean(larger + 0.5 * (positive[:, None] == negative[None])))


def test_roc_area_approaches_the_exact_one() -> None:
    metric = AUC(num_thresholds=2000)
    for part in np.split(np.arange(400), 4):
        metric.update_state(LABELS[part], SCORES[part])
    assert abs(float(metric.result()) - exact_roc(LABELS.ravel(), SCORES.ravel())) < 1e-4


def test_perfect_scores_give_one_and_reversed_ones_zero() -> None:
    assert AUC()([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]).numpy() == 1.0
    assert AUC()([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1]).numpy() == 0.0
    assert AUC(curve="PR")([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]).numpy() == pytest.approx(1.0, abs=1e-6)


def test_multi_label_is_the_mean_over_columns() -> None:
    columns = [float(AUC()(LABELS[:, i], SCORES[:, i])) for i in range(3)]
    assert float(AUC(multi_label=True)(LABELS, SCORES)) == pytest.approx(np.mean(columns), abs=1e-6)
    weighted = AUC(multi_label=True, label_weights=[1.0, 0.0, 3.0])
    assert float(weighted(LABELS, SCORES)) == pytest.approx((columns[0] + 3 * columns[2]) / 4, abs=1e-6)


def test_given_thresholds_equal_even_ones_when_they_are_even() -> None:
    even = AUC(num_thresholds=5)
    given = AUC(thresholds=[0.5, 0.25, 0.75])
    assert given.thresholds == even.thresholds
    assert given.thresholds[0] < 0 < 1 < given.thresholds[-1]
    assert float(given(LABELS, SCORES)) == float(even(LABELS, SCORES))


def test_logits_go_through_a_sigmoid() -> None:
    logits = np.log(SCORES.clip(1e-6, 1 - 1e-6) / (1 - SCORES.clip(1e-6, 1 - 1e-6)))
    probabilities = tf.sigmoid(logits)
    assert float(AUC(from_logits=True)(LABELS, logits)) == float(AUC()(LABELS, probabilities))


def test_minoring_and_majoring_bracket_the_interpolation() -> None:
    areas = [
        float(AUC(curve="PR", summation_method=method, num_thresholds=9)(LABELS, SCORES))
        for method in ("minoring", "interpolation", "majoring")
    ]
    assert areas == sorted(areas)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"num_thresholds": 1}, "`num_thresholds` must be an integer > 1"),
        ({"curve": "ROK"}, "Invalid AUC curve value"),
        ({"summation_method": "trapezoid"}, "Invalid AUC summation method"),
        ({"num_labels": 3}, "needed only when `multi_label` is True"),
        ({"label_weights": [1.0, -1.0]}, "must be non-negative"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        AUC(**arguments)


def test_multi_label_looks_at_shapes() -> None:
    metric = AUC(multi_label=True)
    with pytest.raises(ValueError, match="does not have any value yet"):
        metric.result()
    with pytest.raises(ValueError, match="must have rank 2"):
        metric.update_state([0, 1], [0.1, 0.2])
    metric.update_state(LABELS, SCORES)
    with pytest.raises(ValueError, match="Number of labels is not consistent"):
        metric.update_state(LABELS[:, :2], SCORES[:, :2])
    metric.reset_state()
    assert metric.result().numpy() == 0.0
