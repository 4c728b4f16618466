"""What `compile` is given and what it decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
rng = np.random.default_rng(0)
X = rng.normal(size=(24, 4)).astype("float32")
Y = rng.normal(size=(24, 2)).astype("float32")


def make(cls: type = tf.keras.Sequential, **compiled: Any) -> Any:
    tf.keras.utils.set_random_seed(0)
    model = cls([tf.keras.Input((4,)), layers.Dense(2)])
    model.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **compiled})
    return model


def test_a_compile_config_compiles_another_model_alike() -> None:
    model = make(optimizer=tf.keras.optimizers.Adam(0.02), loss="mae", metrics=["mse"])
    config = model.get_compile_config()
    other = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(2)])
    assert other.get_compile_config() is None
    other.compile_from_config(config)
    assert float(other.optimizer.learning_rate) == pytest.approx(0.02)
    assert list(other.fit(X, Y, verbose=0).history) == ["loss", "mse"]


def test_float16_training_scales_its_loss_and_skips_overflows() -> None:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = make(loss=lambda y_true, y_pred: tf.reduce_mean(y_pred) * 1e30)
        assert isinstance(model.optimizer, tf.keras.mixed_precision.LossScaleOptimizer)
        before = model.get_weights()[0]
        model.fit(X, Y, batch_size=8, verbose=0)
        np.testing.assert_array_equal(model.get_weights()[0], before)
        assert float(model.optimizer.loss_scale) == model.optimizer.initial_scale / 8
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        losses = model.fit(X, Y, batch_size=8, epochs=5, verbose=0).history["loss"]
        assert losses[-1] < losses[0]
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")


def test_a_model_trains_what_was_trainable_when_it_was_compiled() -> None:
    judge = make()
    judge.trainable = False
    maker = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(4), judge])
    maker.compile("sgd", "mse")
    before = judge.get_weights()[0]
    maker.train_on_batch(X, Y)
    np.testing.assert_array_equal(judge.get_weights()[0], before)
    for train in (judge.train_on_batch, lambda x, y: judge.fit(x, y, verbose=0)):
        before = judge.get_weights()[0]
        train(X, Y)
        assert (judge.get_weights()[0] != before).all()
        assert judge.trainable_weights == []


def test_a_model_that_is_not_compiled_has_no_loss() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    assert not hasattr(model, "loss")
    model.compile("sgd")
    assert model.loss == {}
