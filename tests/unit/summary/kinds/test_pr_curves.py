"""`pr_curve`: counts at each threshold, batches that add up, and reading back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.pr_curves import curve_from

RANDOM = np.random.default_rng(0)
LABELS = RANDOM.uniform(size=200) < 0.3
CHANCES = RANDOM.uniform(size=200)
WEIGHTS = RANDOM.uniform(size=200)


def counted(count: int, weights: np.ndarray) -> np.ndarray:
    thresholds = np.linspace(0, 1, count)
    above = thresholds[:, None] <= CHANCES
    return np.stack([(above * LABELS * weights).sum(1), (above * ~LABELS * weights).sum(1)])


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
def test_batches_add_up(writer: FileWriter, weights: Any) -> None:
    with writer.as_default(step=5):
        for rows in (slice(0, 70), slice(70, 200)):
            part = None if weights is None else weights[rows]
            assert summary.pr_curve("p", LABELS[rows], CHANCES[rows], num_thresholds=11, weights=part)
    series = summary.read(writer.logdir)["p/pr_curves"]
    assert (series.plugin, series.steps.tolist()[-1]) == ("pr_curves", 5)
    curve = curve_from(series.values[-1])
    positives, false_positives = counted(11, np.ones(200) if weights is None else weights)
    np.testing.assert_allclose(curve.thresholds, np.linspace(0, 1, 11))
    np.testing.assert_allclose(curve.true_positives, positives, rtol=1e-6)
    np.testing.assert_allclose(curve.false_positives, false_positives, rtol=1e-6)
    np.testing.assert_allclose(curve.true_negatives, false_positives[0] - false_positives, atol=1e-4)
    np.testing.assert_allclose(curve.false_negatives, positives[0] - positives, atol=1e-4)
    np.testing.assert_allclose(curve.recall, positives / positives[0], rtol=1e-5)
    expected = positives / np.maximum(positives + false_positives, 1e-7)
    np.testing.assert_allclose(curve.precision, expected, rtol=1e-5)


def test_predictions_out_of_range_are_clipped(writer: FileWriter) -> None:
    with writer.as_default(step=0):
        summary.pr_curve("p", [True, False, True], [1.5, -2.0, np.nan], num_thresholds=3)
    curve = curve_from(summary.read(writer.logdir)["p/pr_curves"].values[0])
    assert curve.true_positives.tolist() == [2, 1, 1]
    assert curve.false_positives.tolist() == [1, 0, 0]


def test_it_is_written_inside_a_function(tmp_path: Path) -> None:
    @tf.function
    def evaluate(labels: Any, chances: Any) -> Any:
        summary.pr_curve("p", labels, chances, step=0, num_thresholds=11)
        return chances

    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        for rows in (slice(0, 100), slice(100, 200)):
            evaluate(tf.constant(LABELS[rows]), tf.constant(CHANCES[rows]))
    writer.close()
    curve = curve_from(summary.read(tmp_path)["p/pr_curves"].values[-1])
    np.testing.assert_allclose(curve.true_positives, counted(11, np.ones(200))[0])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"labels": [0, 1], "predictions": [0.5]},
            r"predictions in the shape of labels; got labels of shape",
        ),
        (
            {"labels": [0], "predictions": [0.5], "weights": [1, 2]},
            r"weights that fit labels of shape \(1,\)",
        ),
        ({"labels": [0, 1], "predictions": [0, 1], "weights": [1, 2, 3]}, r"weights that fit labels"),
        ({"labels": [0], "predictions": [0.5], "num_thresholds": 1}, r"at least 2 thresholds; got"),
    ],
    ids=["shape", "broadcast", "weights", "thresholds"],
)
def test_wrong_arguments_raise(writer: FileWriter, arguments: dict[str, Any], text: str) -> None:
    with writer.as_default(), pytest.raises(ValueError, match=text):
        summary.pr_curve("p", step=0, **arguments)


def test_a_value_that_is_no_curve() -> None:
    with pytest.raises(ValueError, match=r"a PR curve of shape \(2, 3\)"):
        curve_from(np.zeros((2, 3)))
