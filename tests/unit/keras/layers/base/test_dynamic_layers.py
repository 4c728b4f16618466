"""Layers made with `dynamic=True`, and those that take their dtype from their first input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


class Plus(L.Layer):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(dynamic=True, **kwargs)

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        return inputs + float(tf.reduce_max(inputs))  # reads a value


class Shaped(Plus):
    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


def test_a_model_with_one_runs_eagerly() -> None:
    inputs = tf.keras.Input((2,))
    model = tf.keras.Model(inputs, Shaped()(inputs))
    model.compile("sgd", "mse")
    assert (model.dynamic, model.run_eagerly) == (True, True)
    np.testing.assert_allclose(model.predict(np.array([[1.0, 3.0]]), verbose=0), [[4.0, 6.0]])
    model.compile("sgd", "mse", run_eagerly=False)
    with pytest.raises(ValueError, match="You cannot set `run_eagerly=False`"):
        model.fit(np.ones((2, 2)), np.ones((2, 2)), verbose=0)
    plain = tf.keras.Sequential([L.Dense(1)])
    plain.compile("sgd", "mse", run_eagerly=False)
    assert not plain.run_eagerly


def test_a_symbolic_call_needs_its_output_shape() -> None:
    with pytest.raises(
        NotImplementedError, match=r"implement the `compute_output_shape` method on your layer \(Plus\)"
    ):
        Plus()(tf.keras.Input((2,)))
    assert Shaped()(tf.keras.Input((2,))).shape.as_list() == [None, 2]


def test_dtype_of_the_first_input() -> None:
    policy = tf.keras.mixed_precision.Policy("_infer")
    assert (policy.name, policy.compute_dtype, policy.variable_dtype) == ("_infer", None, None)
    layer = L.Dense(2, dtype=policy, kernel_initializer="ones")
    assert layer.dtype is None
    assert layer(tf.ones((1, 2), tf.float64)).dtype == tf.float64
    assert (layer.dtype, layer.kernel.dtype, layer.get_config()["dtype"]) == ("float64", "float64", "float64")
    symbolic = L.Dense(2, dtype=policy)
    assert symbolic(tf.keras.Input((2,), dtype="float16")).dtype == tf.float16


def test_what_packages_ask_of_layers() -> None:
    assert (L.Dropout(0.5)._expects_training_arg, L.Dense(1)._expects_training_arg) == (True, False)
    assert (L.LSTM(1)._expects_mask_arg, L.Dense(1)._expects_mask_arg) == (True, False)
    model = tf.keras.Sequential([L.Dense(1, activity_regularizer="l2", input_shape=(2,))])
    assert [layer.name for layer in model._self_tracked_trackables][1:] == [model.layers[0].name]
    model(tf.ones((1, 2)))
    assert len(model.losses) == 1
    model._clear_losses()
    assert model.losses == []
