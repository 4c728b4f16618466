"""`model.explain()`: what training computes, in words."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
X = np.ones((8, 4), "float32")
CLASSES = np.arange(8) % 10


def model_of_ten(cls: type = tf.keras.Sequential) -> Any:
    model = cls([tf.keras.Input((4,)), layers.Dense(10)])
    model.compile("sgd", "mse", metrics=["accuracy"])
    return model


def test_a_mean_over_outputs_is_told_from_a_sum(capsys: pytest.CaptureFixture[str]) -> None:
    model = model_of_ten()
    text = model.explain(X, tf.one_hot(CLASSES, 10))
    assert capsys.readouterr().out.strip() == text.strip()
    assert "mean over the last axis (10 outputs)" in text
    assert "it is 10 times this loss" in text
    assert "'accuracy' -> CategoricalAccuracy, because y_true (8, 10) and y_pred (8, 10)" in text


def test_it_leaves_metrics_as_they_begin() -> None:
    model = model_of_ten()
    model.explain(X, tf.one_hot(CLASSES, 10))
    assert [float(m.result()) for m in model.metrics] == [0.0, 0.0]


def test_labels_that_broadcast_warn_once_and_are_explained() -> None:
    model = model_of_ten()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, CLASSES, verbose=0, epochs=2)
        model.fit(X, CLASSES, verbose=0)
    texts = [str(w.message) for w in caught if "broadcast" in str(w.message)]
    assert len(texts) == 1
    assert "y_true of shape (8, 1) and y_pred of shape (8, 10)" in texts[0]
    text = model.explain()
    assert "labels and predictions do not pair up one to one" in text
    assert "'accuracy' -> SparseCategoricalAccuracy" in text


def test_before_data_it_says_what_is_missing() -> None:
    text = model_of_ten().explain()
    assert "It has seen no data yet" in text
    assert "model.explain(x[:32], y[:32])" in text
    with pytest.raises(RuntimeError, match="You must compile your model"):
        tf.keras.Sequential([layers.Dense(1)]).explain()


def test_several_outputs_weights_and_added_losses_are_named() -> None:
    i = tf.keras.Input((4,))
    first = layers.Dense(3, name="a", kernel_regularizer="l2")(i)
    model = tf.keras.Model(i, [first, layers.Dense(1, name="b")(i), layers.Dense(1, name="c")(i)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", {"a": loss, "b": "mse"}, loss_weights={"b": 0.1})
    text = model.explain(X, {"a": CLASSES % 3, "b": np.ones(8)})
    for part in (
        "Output 'a'",
        "Output 'b'",
        "times loss_weights=0.1",
        "no loss: this output is not trained",
        "1 term",
    ):
        assert part in text


def test_an_overridden_step_is_pointed_out() -> None:
    class Mine(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            return super().train_step(data)

    assert "Mine overrides train_step" in model_of_ten(Mine).explain()
