"""Losses and metrics of ragged labels and predictions; the values are those of Keras 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

R = tf.ragged.constant
NUMBERS = (R([[1.0, 1.0, 0.0], [1.0, 0.0]]), R([[0.4, 0.6, 0.2], [0.9, 0.1]]))
SCORES = R([[[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]], [[0.3, 0.3, 0.4]]], ragged_rank=1)
ONE_HOT = R([[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]]], ragged_rank=1)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mse", [0.1867, 0.01]),
        ("mae", [0.4, 0.1]),
        ("mape", [66666700.0, 50000008.0]),
        ("msle", [0.0701, 0.0059]),
        ("binary_crossentropy", [0.5501, 0.1054]),
        ("huber", [0.28 / 3, 0.005]),
    ],
)
def test_a_mean_of_each_row(name: str, expected: list[float]) -> None:
    found = tf.keras.losses.get(name)(*NUMBERS)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-2)


def test_a_loss_of_each_position() -> None:
    dense = tf.keras.losses.categorical_crossentropy(ONE_HOT, SCORES)
    assert [len(row) for row in dense.to_list()] == [2, 1]
    np.testing.assert_allclose(dense.flat_values, [1.20397, 2.30259, 0.91629], rtol=1e-5)
    sparse = tf.keras.losses.sparse_categorical_crossentropy(R([[1, 0], [2]]), SCORES)
    np.testing.assert_allclose(sparse.flat_values, dense.flat_values, rtol=1e-5)
    one = tf.keras.losses.MSE(tf.expand_dims(NUMBERS[0], -1), tf.expand_dims(NUMBERS[1], -1))
    np.testing.assert_allclose(one.flat_values, [0.36, 0.16, 0.04, 0.01, 0.01], rtol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "weight", "expected"),
    [
        ({}, None, 0.0983),
        ({"reduction": "none"}, None, [0.18667, 0.01]),
        ({"reduction": "sum"}, None, 0.19667),
        ({}, [1.0, 3.0], 0.10833),
    ],
)
def test_reductions(arguments: Any, weight: Any, expected: Any) -> None:
    found = tf.keras.losses.MeanSquaredError(**arguments)(*NUMBERS, sample_weight=weight)
    np.testing.assert_allclose(found, expected, rtol=2e-3)


def test_positions_are_reduced_alike_and_weighed_by_row() -> None:
    loss = tf.keras.losses.CategoricalCrossentropy()
    np.testing.assert_allclose(loss(ONE_HOT, SCORES), 1.47428, rtol=1e-4)
    found = loss(ONE_HOT, SCORES, sample_weight=[0.0, 3.0])
    np.testing.assert_allclose(found, 0.91629, rtol=1e-4)


def test_dense_labels_of_ragged_predictions() -> None:
    found = tf.keras.losses.MeanSquaredError()(
        tf.constant([[1.0, 1.0], [1.0, 0.0]]), R([[0.4, 0.6], [0.9, 0.1]])
    )
    np.testing.assert_allclose(found, 0.135, rtol=1e-5)


def test_rows_of_other_lengths() -> None:
    with pytest.raises(
        ValueError, match="mean_squared_error expected y_true and y_pred with rows of the same lengths"
    ):
        tf.keras.losses.MSE(R([[1.0], [2.0, 3.0]]), R([[1.0, 2.0], [3.0]]))


def test_a_mask_of_ragged_values() -> None:
    with pytest.raises(TypeError, match="expected no mask for ragged values"):
        tf.keras.losses.reduction.compute_weighted_loss(NUMBERS[0], mask=tf.constant([True, False]))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MeanSquaredError", 0.116),
        ("MeanAbsoluteError", 0.28),
        ("RootMeanSquaredError", 0.3406),
        ("BinaryAccuracy", 0.8),
        ("BinaryCrossentropy", 0.3722),
        ("CosineSimilarity", 0.6),
        ("Precision", 1.0),
        ("Recall", 2 / 3),
        ("AUC", 1.0),
    ],
)
def test_metrics_count_every_value(name: str, expected: float) -> None:
    metric = getattr(tf.keras.metrics, name)()
    metric.update_state(*NUMBERS)
    np.testing.assert_allclose(metric.result(), expected, rtol=2e-3)


def test_metrics_of_classes_values_and_weights() -> None:
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    accuracy.update_state(R([[2, 1], [0]]), SCORES)
    np.testing.assert_allclose(accuracy.result(), 2 / 3, rtol=1e-6)
    mean = tf.keras.metrics.Mean()
    mean.update_state(R([[1.0, 2.0], [6.0]]))
    assert float(mean.result()) == 3.0
    mean.reset_state()
    mean.update_state(R([[1.0, 2.0], [6.0]]), sample_weight=[1.0, 0.0])
    assert float(mean.result()) == 1.5
    same = tf.keras.metrics.Accuracy()
    same.update_state(R([[1, 2], [3]]), R([[1, 0], [3]]), sample_weight=R([[1.0, 2.0], [1.0]]))
    assert float(same.result()) == 0.5


def test_training_on_ragged_labels() -> None:
    x = R([[[1.0], [2.0]], [[3.0]]], ragged_rank=1)
    y = R([[[2.0], [4.0]], [[6.0]]], ragged_rank=1)
    inputs = tf.keras.Input((None, 1), ragged=True)
    model = tf.keras.Model(
        inputs, tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(inputs)
    )
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    first = model.evaluate(x, y, verbose=0)
    np.testing.assert_allclose(first, [14 / 3, 2.0], rtol=1e-6)
    history = model.fit(x, y, epochs=20, verbose=0).history
    assert history["loss"][-1] < 1e-6
