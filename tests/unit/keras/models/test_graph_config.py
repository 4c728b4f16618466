"""Functional models through their configs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)


def roundtrip(model: Any, custom_objects: Any = None) -> Any:
    config = json.loads(json.dumps(model.get_config()))
    copy = tf.keras.Model.from_config(config, custom_objects)
    if model.weights:
        copy.set_weights(model.get_weights())
    return copy


def test_shared_layers_slices_and_constants_survive() -> None:
    i = tf.keras.Input((4,), name="i")
    shared = layers.Dense(4, name="shared")
    x = tf.concat([shared(shared(i)), i * np.float32(2.0)], axis=-1)
    model = tf.keras.Model(i, [x[:, 1:-1:2], x[..., tf.newaxis][:, 0], 1.0 - x])
    copy = roundtrip(model)
    for found, expected in zip(copy(X), model(X), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert [x.name for x in copy.layers] == [x.name for x in model.layers]


def test_tensors_among_other_arguments_survive() -> None:
    class Scaled(layers.Layer):
        def call(self, inputs: Any, scale: Any = None, power: int = 1) -> Any:
            return inputs * scale**power

    i, s = tf.keras.Input((4,), name="i"), tf.keras.Input((4,), name="s")
    model = tf.keras.Model([i, s], Scaled()(i, scale=s, power=3))
    np.testing.assert_allclose(roundtrip(model, {"Scaled": Scaled})([X, X]), X**4, rtol=1e-6)


def test_nested_models_and_structures_survive() -> None:
    inner_in = tf.keras.Input((4,))
    inner = tf.keras.Model(inner_in, layers.Dense(2)(inner_in), name="inner")
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b")
    model = tf.keras.Model({"a": a, "b": b}, {"first": inner(a), "both": (inner(b), inner(a))})
    copy = roundtrip(model)
    found, expected = copy({"a": X, "b": -X}), model({"a": X, "b": -X})
    np.testing.assert_array_equal(found["first"], expected["first"])
    np.testing.assert_array_equal(found["both"][0], expected["both"][0])


def test_frozen_models_stay_frozen() -> None:
    i = tf.keras.Input((4,))
    model = tf.keras.Model(i, layers.Dense(1, trainable=False)(i))
    assert roundtrip(model).trainable_weights == []


def test_a_config_whose_calls_never_can_be_made_is_refused() -> None:
    i = tf.keras.Input((4,), name="i")
    config = tf.keras.Model(i, layers.Dense(1, name="d")(i)).get_config()
    config["layers"][1]["inbound_nodes"] = [[["d", 0, 0, {}]]]
    with pytest.raises(ValueError, match=r"got some that never can be made: \['d'\]"):
        tf.keras.Model.from_config(config)
