"""`LinearModel` and `WideDeepModel`: configs, files and refusals. Trainings are compared with Keras 2's in `parity`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

X = np.arange(12, dtype="float32").reshape(4, 3) / 10


def test_a_missing_feature() -> None:
    model = tf.keras.experimental.LinearModel()
    model({"a": X, "b": X})
    with pytest.raises(ValueError, match="does not match the structure expected by the model"):
        model({"a": X})


def test_configs() -> None:
    model = tf.keras.experimental.LinearModel(2, "tanh", kernel_regularizer="l2", name="wide")
    again = tf.keras.layers.deserialize(tf.keras.layers.serialize(model))
    assert type(again) is type(model)
    assert again.get_config() == model.get_config()
    both = tf.keras.experimental.WideDeepModel(model, tf.keras.Sequential([tf.keras.layers.Dense(2)]), "relu")
    other = tf.keras.layers.deserialize(tf.keras.layers.serialize(both))
    assert (other.linear_model.units, other.activation) == (2, tf.keras.activations.relu)


def test_a_file_of_both_with_two_optimizers(tmp_path: Path) -> None:
    deep = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model: Any = tf.keras.experimental.WideDeepModel(tf.keras.experimental.LinearModel(), deep)
    model.compile(["sgd", tf.keras.optimizers.Adam(0.1)], "mse")
    model.fit(X, X[:, :1], verbose=0)
    assert [type(o).__name__ for o in model.optimizer] == ["SGD", "Adam"]
    model.save_weights(tmp_path / "weights.h5")
    other: Any = tf.keras.experimental.WideDeepModel(
        tf.keras.experimental.LinearModel(), tf.keras.Sequential([tf.keras.layers.Dense(1)])
    )
    other(X)
    other.load_weights(tmp_path / "weights.h5")
    np.testing.assert_array_equal(other(X).numpy(), model(X).numpy())


def test_sharpness_aware_config_and_restored_weights() -> None:
    inner = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model: Any = tf.keras.models.experimental.SharpnessAwareMinimization(
        inner, rho=0.2, num_batch_splits=2, name="s"
    )
    again = tf.keras.layers.deserialize(tf.keras.layers.serialize(model))
    assert (again.rho, again.num_batch_splits, again.name) == (0.2, 2, "s")
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")  # a step that changes nothing but by going uphill
    before = inner.get_weights()
    model.fit(X, X[:, :1], batch_size=2, verbose=0)
    for one, other in zip(before, inner.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
