"""Confusion counts, precision and recall against plain numpy, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.metrics import (
    FalseNegatives,
    FalsePositives,
    Precision,
    PrecisionAtRecall,
    Recall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
    TrueNegatives,
    TruePositives,
)
from tapeflow.keras.metrics.thresholds import are_even, even_thresholds

RANDOM = np.random.default_rng(1)
LABELS = RANDOM.integers(0, 2, (50,))
SCORES = RANDOM.uniform(size=(50,)).astype("float32")
WEIGHTS = RANDOM.integers(0, 4, (50,)).astype("float32")


def counted(thresholds: list[float]) -> dict[str, np.ndarray]:
    above = SCORES[None] > np.array(thresholds, "float32")[:, None]
    positive = (LABELS > 0)[None]
    kinds = {
        "tp": above & positive,
        "fp": above & ~positive,
        "tn": ~above & ~positive,
        "fn": ~above & positive,
    }
    return {kind: (which * WEIGHTS).sum(-1) for kind, which in kinds.items()}


@pytest.mark.parametrize("thresholds", [[0.5], [0.9, 0.1, 0.4], [0.0, 0.25, 0.5, 0.75, 1.0]])
def test_counts_at_thresholds(thresholds: list[float]) -> None:
    wanted = counted(thresholds)
    for kind, metric in (
        ("tp", TruePositives(thresholds)),
        ("fp", FalsePositives(thresholds)),
        ("tn", TrueNegatives(thresholds)),
        ("fn", FalseNegatives(thresholds)),
    ):
        metric.update_state(LABELS, SCORES, sample_weight=WEIGHTS)
        np.testing.assert_allclose(metric.accumulator.numpy(), wanted[kind])
        assert metric.result().shape == (() if len(thresholds) == 1 else (len(thresholds),))


def test_precision_and_recall_at_thresholds() -> None:
    thresholds = [0.2, 0.8]
    c = counted(thresholds)
    precision, recall = Precision(thresholds), Recall(thresholds)
    precision.update_state(LABELS, SCORES, sample_weight=WEIGHTS)
    recall.update_state(LABELS, SCORES, sample_weight=WEIGHTS)
    np.testing.assert_allclose(precision.result().numpy(), c["tp"] / (c["tp"] + c["fp"]), rtol=1e-6)
    np.testing.assert_allclose(recall.result().numpy(), c["tp"] / (c["tp"] + c["fn"]), rtol=1e-6)


def test_nothing_predicted_gives_zero() -> None:
    assert Precision()([1, 0], [0.1, 0.2]).numpy() == 0.0
    assert Recall()([0, 0], [0.9, 0.2]).numpy() == 0.0


def test_top_k_takes_the_largest_of_each_row() -> None:
    labels, scores = [[0, 1, 0], [1, 0, 1]], [[0.1, 0.05, 0.02], [0.9, 0.8, 0.7]]
    assert Precision(top_k=2)(labels, scores).numpy() == 0.5
    assert Recall(top_k=1)(labels, scores).numpy() == np.float32(1 / 3)
    assert Recall(top_k=1, class_id=0)(labels, scores).numpy() == 1.0


def test_even_thresholds_are_counted_by_buckets_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = PrecisionAtRecall(0.5, num_thresholds=200)
    assert metric._is_even
    assert metric._limits == ()
    assert are_even(even_thresholds("AUC", 5))
    assert not are_even([0.0, 0.5])
    assert not are_even([0.0, 0.4, 1.0])


@pytest.mark.parametrize(
    ("metric", "kept", "sought", "least"),
    [
        (SensitivityAtSpecificity(0.6), ("tn", "fp"), ("tp", "fn"), 0.6),
        (SpecificityAtSensitivity(0.6), ("tp", "fn"), ("tn", "fp"), 0.6),
        (PrecisionAtRecall(0.6), ("tp", "fn"), ("tp", "fp"), 0.6),
        (RecallAtPrecision(0.45), ("tp", "fp"), ("tp", "fn"), 0.45),
    ],
    ids=lambda value: type(value).__name__,
)
def test_best_rate_where_another_is_good_enough(metric: Any, kept: Any, sought: Any, least: float) -> None:
    metric.update_state(LABELS, SCORES, sample_weight=WEIGHTS)
    c = counted(metric.thresholds)

    def rate(pair: tuple[str, str]) -> np.ndarray:
        total = c[pair[0]] + c[pair[1]]
        return np.divide(c[pair[0]], total, out=np.zeros_like(total), where=total > 0)

    np.testing.assert_allclose(metric.result().numpy(), rate(sought)[rate(kept) >= least].max(), rtol=1e-6)


def test_unreachable_rate_gives_zero() -> None:
    assert RecallAtPrecision(1.0)([0, 0], [0.4, 0.6]).numpy() == 0.0


def test_nan_score_is_negative_everywhere() -> None:
    scores = np.array([np.nan, 0.7], "float32")
    assert TruePositives([0.0, 0.5, 1.0])([1, 1], scores).numpy().tolist() == [1.0, 1.0, 0.0]
    assert FalseNegatives()([1, 1], scores).numpy() == 1.0


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Precision(thresholds=[0.5, 1.5]), r"must be in \[0, 1\]. Received: \[1.5\]"),
        (lambda: TruePositives(thresholds=-1), r"must be in \[0, 1\]"),
        (lambda: PrecisionAtRecall(2.0), "Argument `recall` must be in the range"),
        (lambda: RecallAtPrecision(-0.1), "Argument `precision` must be in the range"),
        (lambda: SensitivityAtSpecificity(0.5, num_thresholds=0), "must be an integer > 0"),
    ],
)
def test_bad_arguments_are_named(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_different_shapes_are_refused_with_advice() -> None:
    with pytest.raises(ValueError, match=r"Shapes \(3, 2\) and \(3,\) are incompatible.*tf.one_hot"):
        Precision().update_state([0, 1, 1], np.zeros((3, 2), "float32"))


def test_weights_that_do_not_broadcast_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast"):
        Recall().update_state(np.ones((4, 3)), np.ones((4, 3), "float32"), sample_weight=np.ones((2, 3)))
