"""Python control flow over tensors in layers, models and training steps is part of their program."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def _staged() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        yield


class Gate(tf.keras.layers.Layer):
    def build(self, shape: Any) -> None:
        self.scale = self.add_weight("scale", shape=(), initializer="ones")
        self.turns = self.add_weight("turns", shape=(), initializer="zeros", trainable=False)

    def call(self, inputs: Any, training: Any = None) -> Any:
        x = inputs
        if tf.reduce_mean(x) > 0:
            x = x * self.scale
        for _ in tf.range(3):
            x = tf.tanh(x)
            self.turns.assign_add(1.0)
        if training:
            x = x * 2.0
        return x


def test_a_layer_in_fit() -> None:
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4), Gate(), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.random.default_rng(0).normal(size=(64, 3)).astype("float32"), np.ones((64, 1), "float32")
    history = model.fit(x, y, batch_size=16, epochs=3, verbose=0).history["loss"]
    assert history[-1] < history[0]
    assert float(model.layers[1].turns) == 3 * 4 * 3
    eager = model(x)
    np.testing.assert_allclose(model.predict(x, verbose=0), eager, rtol=1e-5, atol=1e-6)


def test_a_functional_model_with_a_lambda() -> None:
    inputs = tf.keras.Input((3,))
    outputs = tf.keras.layers.Lambda(lambda t: t * 2 if tf.reduce_sum(t) > 0 else -t)(inputs)
    model = tf.keras.Model(inputs, outputs)
    x = np.ones((2, 3), "float32")
    np.testing.assert_allclose(model.predict(x, verbose=0), 2 * x)
    np.testing.assert_allclose(model.predict(-x, verbose=0), x)


def test_a_train_step_that_clips_what_is_large() -> None:
    class Clipped(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            norm = tf.linalg.global_norm(gradients)
            if norm > 1.0:
                gradients = [g / norm for g in gradients]
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss, "norm": norm}

    model = Clipped([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd")
    x, y = np.full((32, 2), 10.0, "float32"), np.zeros((32, 1), "float32")
    before = float(tf.reduce_sum(model(x)))
    logs = model.fit(x, y, batch_size=8, verbose=0).history
    assert logs["norm"][0] > 1.0
    assert float(tf.reduce_sum(model(x))) < before


def test_a_loss_with_a_branch() -> None:
    def loss(y_true: Any, y_pred: Any) -> Any:
        error = tf.reduce_mean(tf.abs(y_true - y_pred))
        if error < 1.0:
            return error * error
        return error

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", loss)
    model.fit(np.ones((8, 2), "float32"), np.ones((8, 1), "float32"), verbose=0)


def test_a_model_that_loops_over_a_sequence() -> None:
    class Reader(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.cell = tf.keras.layers.GRUCell(4)
            self.out = tf.keras.layers.Dense(1)

        def call(self, x: Any) -> Any:
            state = tf.zeros((tf.shape(x)[0], 4))
            states = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            for t in tf.range(tf.shape(x)[1]):
                state, _ = self.cell(x[:, t], [state])
                states = states.write(t, state)
            return self.out(tf.transpose(states.stack(), [1, 0, 2]))

    x = np.random.default_rng(0).normal(size=(8, 5, 3)).astype("float32")
    model = Reader()
    model.compile("adam", "mse")
    model.fit(x, np.zeros((8, 5, 1), "float32"), verbose=0)
    np.testing.assert_allclose(model.predict(x, verbose=0), model(x), rtol=1e-5, atol=1e-6)
