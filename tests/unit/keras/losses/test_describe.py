"""Losses in words: the divisor must be there, and right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import losses
from tapeflow.keras.losses.describe import describe_loss


def test_mse_of_ten_outputs_says_what_a_sum_by_hand_would_be() -> None:
    text = describe_loss(losses.MeanSquaredError(), (128, 10), (128, 10))
    assert "MeanSquaredError (mean_squared_error), y_true (128, 10), y_pred (128, 10)" in text
    assert "mean over the last axis (10 outputs)" in text
    assert "mean over the 128 samples of the batch (reduction 'auto' = 'sum_over_batch_size')" in text
    assert "divided by 128 * 10" in text
    assert "tf.reduce_sum(...) / 128 sums over the 10 outputs instead: it is 10 times this loss" in text
    # And it is.
    true, pred = np.zeros((128, 10), np.float32), np.random.default_rng(0).random((128, 10), np.float32)
    by_hand = float(tf.reduce_sum(tf.square(pred - true))) / 128
    assert by_hand == pytest.approx(10 * float(losses.MeanSquaredError()(true, pred)), rel=1e-5)


@pytest.mark.parametrize(
    ("loss", "shape", "expected"),
    [
        (losses.mse, (None, 10), "divided by batch size * 10"),
        (losses.mse, (None, 1), "divided by batch size * 1"),
        (losses.MeanSquaredError(reduction="sum"), (8, 10), "not a mean: it grows with the batch"),
        (losses.MeanSquaredError(reduction="sum"), (8, 10), "divided by 10"),
        (losses.Huber(2.0, reduction="none"), (8, 20, 3), "not reduced (reduction 'none'): one value each for the 8"),
        (losses.Huber(2.0), (8, 20, 3), "delta=2.0"),
        (losses.Huber(2.0), (8, 20, 3), "the 8 samples of the batch and the 20 positions of each"),
        (losses.CategoricalCrossentropy(), (None, 10), "summed over the last axis (10 classes)"),
        (losses.CategoricalCrossentropy(), (None, 10), "Raw scores need from_logits=True"),
        (losses.CategoricalCrossentropy(from_logits=True), (8, 10), "from_logits=True: y_pred is taken as scores"),
        (losses.CategoricalCrossentropy(label_smoothing=0.1), (8, 10), "label_smoothing=0.1: labels are moved"),
        (losses.MeanSquaredError(reduction="mean_with_sample_weight"), (8, 1), "divided by the sum of the sample w"),
        (losses.Dice(), (8, 10), "dice(y_true, y_pred, axis=None), which decides itself"),
        (losses.mse, (8,), "mean over 8 samples, in the function itself"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)  # fmt: skip
def test_words(loss: Any, shape: Any, expected: str) -> None:
    assert expected in describe_loss(loss, shape, shape)


def test_sparse_labels() -> None:
    text = describe_loss(losses.SparseCategoricalCrossentropy(ignore_class=-1), (128,), (128, 10))
    assert "-log(probability of the label), one value from the last axis (10 classes)" in text
    assert "ignore_class=-1" in text
    assert "careful" not in text


def test_broadcasting_shapes() -> None:
    assert "careful: the shapes broadcast to (4, 4)" in describe_loss(losses.mse, (4,), (4, 1))
    assert "careful" not in describe_loss(losses.MeanSquaredError(), (4,), (4, 1))  # which squeezes
    assert "careful: the shapes broadcast to (None, 10)" in describe_loss(losses.mse, (None, 1), (None, 10))
    assert "careful: the shapes broadcast to (None, 10)" in describe_loss(losses.kld, (None, 1), (None, 10))
    assert "careful: the shapes broadcast to (4, 5)" in describe_loss(losses.mse, (4, 5), (4, 1))
    assert "careful" not in describe_loss(losses.mse, (4, 5), (4, 3))  # an error when it is called


def test_a_loss_of_the_user() -> None:
    class Own(losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return y_pred

    assert describe_loss(Own(reduction="sum"), (4,), (4,)).splitlines()[0] == "Own, y_true (4,), y_pred (4,)"
    assert "sum over the losses it returns" in describe_loss(Own(reduction="sum"), (4,), (4,))
