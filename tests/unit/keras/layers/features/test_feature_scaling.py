"""Rescaling and Normalization."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.layers.features.feature_scaling import PreprocessingLayer

L = tf.keras.layers
DATA = (np.random.default_rng(0).normal(size=(50, 3)) * [1, 2, 3] + 5).astype("float32")


@pytest.mark.parametrize(
    "data",
    [
        DATA,
        tf.constant(DATA),
        DATA.tolist(),
        [DATA[:20], DATA[20:]],
        tf.data.Dataset.from_tensor_slices(DATA).batch(7),
    ],
    ids=["array", "tensor", "list", "batches", "dataset"],
)
def test_adapt_learns_the_moments(data: Any) -> None:
    layer = L.Normalization()
    layer.adapt(
        iter(data) if isinstance(data, list) and isinstance(data[0], np.ndarray) else data, batch_size=None
    )
    np.testing.assert_allclose(layer.mean.numpy(), DATA.mean(0, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(layer.variance.numpy(), DATA.var(0, keepdims=True), rtol=1e-4)
    assert layer.is_adapted
    assert int(layer.count) == 50
    y = layer(DATA).numpy()
    np.testing.assert_allclose(y.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(y.std(0), 1, atol=1e-5)


def test_the_size_of_the_batches_does_not_matter() -> None:
    one, two = L.Normalization(), L.Normalization()
    one.adapt(DATA)
    two.adapt(DATA, batch_size=8)
    np.testing.assert_allclose(one.variance.numpy(), two.variance.numpy(), rtol=1e-5)


def test_adapting_again_forgets() -> None:
    layer = L.Normalization(axis=None)
    layer.adapt([0.0, 2.0])
    np.testing.assert_allclose(layer(np.array([[0.0], [2.0]])).numpy(), [[-1], [1]])
    layer.adapt([-1.0, 1.0])
    np.testing.assert_allclose(layer(np.array([[0.0], [2.0]])).numpy(), [[0], [2]])


def test_steps_limits_what_is_seen() -> None:
    layer = L.Normalization(axis=None)
    layer.adapt(DATA, batch_size=10, steps=2)
    assert int(layer.count) == 60


def test_constant_features_become_zero() -> None:
    layer = L.Normalization()
    layer.adapt(np.full((4, 2), 3.0))
    np.testing.assert_array_equal(layer(np.full((1, 2), 3.0)).numpy(), [[0, 0]])


def test_invert_goes_back() -> None:
    there, back = (
        L.Normalization(mean=3.0, variance=4.0),
        L.Normalization(mean=3.0, variance=4.0, invert=True),
    )
    np.testing.assert_allclose(back(there(DATA)).numpy(), DATA, rtol=1e-5)


def test_arrays_in_the_config_are_lists() -> None:
    config = L.Normalization(mean=np.array([1.0]), variance=tf.constant([4.0])).get_config()
    assert (config["mean"], config["variance"]) == ([1.0], [4.0])
    assert L.Rescaling(np.float32(0.5)).get_config()["scale"] == 0.5


def test_in_a_model_with_copied_weights() -> None:
    layer = L.Normalization()
    layer.adapt(DATA)
    model = tf.keras.Sequential([layer, L.Dense(1)])
    other = tf.keras.Sequential([L.Normalization(), L.Dense(1)])
    expected = model(DATA)
    other(DATA)
    other.set_weights(model.get_weights())
    np.testing.assert_allclose(other(DATA).numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: L.Normalization(mean=1.0), ValueError, "both `mean` and `variance` must be set"),
        (lambda: L.Normalization(mean=tf.Variable(1.0), variance=1.0), ValueError, "passing a Variable"),
        (lambda: L.Normalization(axis=3)(DATA), ValueError, "must be in the range"),
        (lambda: L.Normalization()(tf.keras.Input((None,))), ValueError, "must have known shape"),
        (lambda: L.Normalization(mean=1.0, variance=1.0).adapt(DATA), ValueError, "Cannot `adapt`"),
        (lambda: L.Normalization().update_state(DATA), RuntimeError, "`build` must be called"),
        (lambda: L.Normalization()([tf.constant(DATA)] * 2), ValueError, "only accepts a single input"),
    ],
)
def test_wrong_statistics_axes_and_inputs_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_layer_that_learns_must_say_how() -> None:
    layer = PreprocessingLayer()
    with pytest.raises(NotImplementedError, match="write update_state"):
        layer.adapt(DATA)
    with pytest.raises(NotImplementedError, match="write reset_state"):
        layer.adapt(DATA)


def test_a_preprocessing_layer_of_the_users_own() -> None:
    class Largest(tf.keras.layers.experimental.preprocessing.PreprocessingLayer):
        def build(self, input_shape: Any) -> None:
            self.value = self.add_weight("value", shape=(), initializer="zeros", trainable=False)
            super().build(input_shape)

        def update_state(self, data: Any) -> None:
            self.value.assign(tf.maximum(self.value, tf.reduce_max(data)))

        def reset_state(self) -> None:
            self.value.assign(0.0)

        def call(self, inputs: Any) -> Any:
            return inputs / self.value

    layer = Largest()
    layer.adapt(tf.data.Dataset.from_tensor_slices(np.array([[1.0], [4.0], [2.0]], "float32")).batch(2))
    assert layer.is_adapted
    assert layer(tf.constant([[2.0]])).numpy().tolist() == [[0.5]]


def test_tables_are_learned_from() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [0.0, 2.0], "b": [1, 5]})
    layer = tf.keras.layers.Normalization()
    layer.adapt(table)
    assert layer.mean.numpy().tolist() == [[1.0, 3.0]]
    np.testing.assert_allclose(layer(table), [[-1, -1], [1, 1]])
