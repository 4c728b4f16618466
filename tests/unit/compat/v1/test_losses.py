"""`tf.compat.v1.losses`: what TensorFlow gives for the same weights and reductions."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

losses = tf.compat.v1.losses
Y = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], np.float32)
P = np.array([[0.8, 0.3, 0.6], [0.1, 2.4, 0.9]], np.float32)
W = np.array([[1.0], [0.5]], np.float32)
R = losses.Reduction

# TensorFlow's: the sum of weighted losses, their mean by weights, and that by the number of weights that are not zero.
CASES = [
    ("absolute_difference", 1.7, 0.3778, 0.2833),
    ("mean_squared_error", 1.28, 0.2844, 0.2133),
    ("huber_loss", 0.6, 0.1333, 0.1),
    ("hinge_loss", 2.5, 0.5556, 0.4167),
    ("sigmoid_cross_entropy", 2.2491, 0.4998, 0.3749),
    ("softmax_cross_entropy", 3.0021, 2.0014, 1.501),
]


@pytest.mark.parametrize(("name", "total", "mean", "by_count"), CASES)
def test_reductions(name: str, total: float, mean: float, by_count: float) -> None:
    weights = W[:, 0] if name.startswith("softmax") else W
    loss = getattr(losses, name)
    expected = {
        R.SUM: total,
        R.MEAN: mean,
        R.SUM_OVER_BATCH_SIZE: by_count,
        R.SUM_BY_NONZERO_WEIGHTS: by_count,
    }
    for reduction, value in expected.items():
        assert float(loss(Y, P, weights, reduction=reduction)) == pytest.approx(value, abs=1e-4)
    assert loss(Y, P, weights, reduction=R.NONE).shape == ((2,) if name.startswith("softmax") else (2, 3))


def test_weights_of_zero_do_not_count() -> None:
    assert float(losses.mean_squared_error([1.0, 2.0], [2.0, 4.0], weights=[1.0, 0.0])) == 1.0
    assert float(losses.mean_squared_error([1.0, 2.0], [2.0, 4.0], weights=0.0)) == 0.0


def test_other_losses() -> None:
    expected = 1.0 - float(np.mean(np.sum(Y * P, axis=1)))
    assert float(losses.cosine_distance(Y, P, axis=1)) == pytest.approx(expected)
    assert float(losses.log_loss([1.0], [0.8])) == pytest.approx(-np.log(0.8), abs=1e-5)
    given = losses.sparse_softmax_cross_entropy([0, 2], P)
    assert float(given) == pytest.approx(float(losses.softmax_cross_entropy(np.eye(3)[[0, 2]], P)))
    smooth = losses.sigmoid_cross_entropy(Y, P, label_smoothing=0.1)
    assert float(smooth) == pytest.approx(float(losses.sigmoid_cross_entropy(0.9 * Y + 0.05, P)))
    assert (losses.get_losses(), losses.get_regularization_losses()) == ([], [])
    assert float(losses.get_regularization_loss()) == 0.0


def test_errors() -> None:
    with pytest.raises(ValueError, match="Invalid Reduction Key mean"):
        losses.mean_squared_error(Y, P, reduction="mean")
    with pytest.raises(ValueError, match=r"Shapes \(2, 3\) and \(2, 2\) are incompatible"):
        losses.mean_squared_error(Y[:, :2], P)
    with pytest.raises(ValueError, match="expected labels and predictions; got None"):
        losses.mean_squared_error(None, P)
    with pytest.raises(ValueError, match="You must specify 'axis'"):
        losses.cosine_distance(Y, P)
    assert R.all()[0] == "none"
    R.validate(R.MEAN)
