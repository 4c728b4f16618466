"""Layers, models and functions that few programs use, against Keras 2."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

from .fixtures import uncommon_cases as cases

CLOSE: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-6}


@functools.cache
def keras_2() -> Any:
    return json.loads((Path(__file__).parent / "fixtures" / "uncommon.json").read_text())


QUICK = ("local_1d", "local_2d_first", "local_2d_masked", "local_1d_sparse", "fourier")


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in cases.LAYERS]
)
def test_layers(name: str) -> None:
    expression, shape = cases.LAYERS[name]
    expected = keras_2()["layers"][name]
    layer = eval(expression, {"L": tf.keras.layers})
    inputs = tf.constant(cases.numbers(*shape))
    layer(inputs)
    assert [[w.name.split("/")[-1], list(w.shape)] for w in layer.weights] == expected["weights"]
    layer.set_weights(cases.weights_for([tuple(w.shape) for w in layer.weights]))
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(inputs)
        total = tf.reduce_sum(outputs * cases.numbers(*outputs.shape, shift=3.0))
    gradients = tape.gradient(total, [inputs, *layer.trainable_weights])
    np.testing.assert_allclose(outputs.numpy(), expected["outputs"], **CLOSE)
    for found, other in zip(gradients, expected["gradients"], strict=True):
        np.testing.assert_allclose(found.numpy(), other, **CLOSE)
    assert list(layer.compute_output_shape(shape)) == expected["shape"]
    config = json.loads(json.dumps(layer.get_config()))
    for key, value in expected["config"].items():
        assert config[key] == pytest.approx(value), key


@pytest.mark.parametrize("number", range(len(cases.CROSSINGS)))
def test_crossings(number: int) -> None:
    columns = cases.CROSSINGS[number]
    tensors = [tf.constant(c, tf.int64 if isinstance(c[0], int) else None) for c in columns]
    plain, one_hot = keras_2()["crossings"][number]
    assert tf.keras.layers.HashedCrossing(5)(tensors).numpy().tolist() == plain
    assert tf.keras.layers.HashedCrossing(3, output_mode="one_hot")(tensors).numpy().tolist() == one_hot


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.slow) if n in ("linear_list", "wide_deep", "sharpness") else n
        for n in cases.TRAININGS
    ],
)
def test_trainings(name: str) -> None:
    history, weights = cases.trained(tf.keras, name)
    expected_history, expected_weights = keras_2()["trainings"][name]
    assert history.keys() == expected_history.keys()
    for key, values in expected_history.items():
        np.testing.assert_allclose(history[key], values, rtol=1e-4)
    for found, other in zip(weights, expected_weights, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-4, atol=1e-6)


def test_functions() -> None:
    found = cases.backend(tf, tf.keras)
    expected = keras_2()["backend"]
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        for one, other in zip(found[key], value, strict=True):
            np.testing.assert_allclose(one, other, err_msg=key, **CLOSE)
