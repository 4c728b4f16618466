"""Copies and pickles of models."""

from __future__ import annotations

import copy
import pickle
import pickletools
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
X = np.random.default_rng(0).random((4, 3), np.float32)
Y = np.zeros((4, 2), np.float32)


def double(x: Any) -> Any:
    return x * 2.0


def own_loss(y_true: Any, y_pred: Any) -> Any:
    return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)


class Scaled(L.Layer):
    """A layer of one's own, which nobody registered."""

    def build(self, input_shape: Any) -> None:
        self.scale = self.add_weight(name="scale", shape=(), initializer="ones")

    def call(self, x: Any) -> Any:
        return x * self.scale


class Own(tf.keras.Model):
    def __init__(self, units: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dense, self.scaled = L.Dense(units), Scaled()

    def call(self, x: Any) -> Any:
        return self.scaled(self.dense(x))


def stack() -> Any:
    return tf.keras.Sequential(
        [tf.keras.Input((3,)), L.Dense(2, activation=double), L.Dropout(0.5), Scaled()]
    )


@pytest.mark.parametrize("make", [stack, Own], ids=["stack", "subclass"])
@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_a_copy_goes_on_by_itself(make: Any, way: str) -> None:
    model = make()
    model.compile("adam", own_loss, metrics=["mae"])
    model.fit(X, Y, verbose=0)
    again = copy.deepcopy(model) if way == "deepcopy" else pickle.loads(pickle.dumps(model))
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(X, verbose=0), model.predict(X, verbose=0))
    for a, b in zip(again.optimizer.variables, model.optimizer.variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    before = model.get_weights()
    again.fit(X, Y, verbose=0)
    assert int(again.optimizer.iterations) == 2
    np.testing.assert_array_equal(model.get_weights()[0], before[0])


def test_a_pickle_calls_nothing_but_the_loader() -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), L.Dense(2)])
    data = pickle.dumps(model, 2)
    called = [arg for op, arg, _ in pickletools.genops(data) if op.name == "GLOBAL"]
    assert [name for name in called if "tapeflow" in name] == ["tapeflow.keras.saving.copies restored"]


def test_a_model_in_a_structure_is_copied_once() -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), L.Dense(2)])
    a, b = copy.deepcopy([model, model])
    assert a is b
    assert a.weights[0] is not model.weights[0]
    fresh = copy.deepcopy(tf.keras.Sequential([L.Dense(2)]))
    assert fresh(X).shape == (4, 2)
