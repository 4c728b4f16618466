"""F scores and R²: averages, and arguments refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.keras.metrics import F1Score, FBetaScore, R2Score

LABELS = np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0]])
SCORES = np.array([[0.2, 0.6, 0.7], [0.2, 0.6, 0.6], [0.6, 0.8, 0.0]], "float32")


def test_documented_example() -> None:
    metric = FBetaScore(beta=2.0, threshold=0.5)
    np.testing.assert_allclose(metric(LABELS, SCORES).numpy(), [0.3846154, 0.90909094, 0.8333334], rtol=1e-6)


def test_averages() -> None:
    each = F1Score(threshold=0.5)(LABELS, SCORES).numpy()
    assert F1Score("macro", threshold=0.5)(LABELS, SCORES).numpy() == pytest.approx(each.mean())
    shares = LABELS.sum(0) / LABELS.sum()
    assert F1Score("weighted", threshold=0.5)(LABELS, SCORES).numpy() == pytest.approx((each * shares).sum())
    # tp = 4, fp = 2, fn = 2
    assert F1Score("micro", threshold=0.5)(LABELS, SCORES).numpy() == pytest.approx(8 / 12)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"average": "mean"}, "Expected one of: {None, 'micro', 'macro', 'weighted'}"),
        ({"beta": 1}, "It should be a Python float"),
        ({"beta": -1.0}, "It should be > 0"),
        ({"threshold": 1}, "`threshold` argument value. It should be a Python float"),
        ({"threshold": 0.0}, "0 < threshold <= 1"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        FBetaScore(**arguments)


def test_inputs_must_be_matrices() -> None:
    with pytest.raises(ValueError, match=r"expects 2D inputs.*tf.one_hot"):
        F1Score().update_state([1, 0], [0.1, 0.2])
    with pytest.raises(ValueError, match="does not have any value yet"):
        F1Score().result()
    with pytest.raises(ValueError, match=r"expects 2D inputs.*expand_dims"):
        R2Score().update_state([1.0, 0.0], [0.1, 0.2])
    with pytest.raises(ValueError, match="does not have any value yet"):
        R2Score().result()


def test_r2_of_columns() -> None:
    random = np.random.default_rng(0)
    labels = random.normal(size=(20, 2))
    found = labels + random.normal(size=(20, 2)) * 0.3
    variance = ((labels - labels.mean(0)) ** 2).sum(0)
    wanted = 1 - ((labels - found) ** 2).sum(0) / variance
    each = R2Score(class_aggregation=None, dtype="float64")
    for part in np.split(np.arange(20), 4):
        each.update_state(labels[part], found[part])
    np.testing.assert_allclose(each.result().numpy(), wanted)
    weighted = R2Score(class_aggregation="variance_weighted_average", dtype="float64")
    assert weighted(labels, found).numpy() == pytest.approx((wanted * variance).sum() / variance.sum())


def test_adjusted_r2_falls_back_to_the_plain_one_with_few_samples() -> None:
    labels, found = [[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]]
    plain = float(R2Score()(labels, found))
    assert float(R2Score(num_regressors=1)(labels, found)) == pytest.approx(1 - (1 - plain) * 2 / 1)
    assert float(R2Score(num_regressors=2)(labels, found)) == plain
    assert float(R2Score(num_regressors=7)(labels, found)) == plain


@pytest.mark.parametrize("arguments", [{"class_aggregation": "mean"}, {"num_regressors": -1}])
def test_bad_r2_arguments_are_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"`{next(iter(arguments))}`"):
        R2Score(**arguments)
