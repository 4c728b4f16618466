"""Pooling, padding and upsampling layers against Keras 3 (values, gradients) and Keras 2 (configs, more methods)."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf

FIXTURES = Path(__file__).parent / "fixtures"
_cases = runpy.run_path(str(FIXTURES / "window_layer_cases.py"))
POOLINGS, KERAS2 = _cases["POOLINGS"], _cases["KERAS2_POOLINGS"]
_BEFORE = len(_cases["CONVOLUTIONS"]) + len(_cases["KERAS2_CONVOLUTIONS"])
_SAID = json.loads((FIXTURES / "window_layers.json").read_text())[_BEFORE:]
_ALL = [*POOLINGS, *KERAS2]


def _name(case: Any) -> str:
    return case[0] + "".join(f"-{v}" for v in case[1].values())


def normal(rng: np.random.Generator, shape: Any) -> np.ndarray:
    return rng.normal(size=tuple(shape)).astype("float32")


def channels_first(case: Any) -> Any:
    kind, arguments, shape = case
    return kind, {**arguments, "data_format": "channels_first"}, (shape[0], shape[-1], *shape[1:-1])


_MASK = np.array([[True, True, False, False, True], [False, True, False, False, False]])
_MASKED = ("GlobalAveragePooling1D", {}, (2, 5, 3))
# A few of both kinds: each is a mask, or none, and a case.
_CASES: list[tuple[Any, Any]] = [
    *[({}, case) for case in POOLINGS],
    *[({}, channels_first(case)) for case in [c for c in POOLINGS if "1D" not in c[0]][1::2]],
    ({"mask": _MASK}, _MASKED),
    ({"mask": _MASK}, channels_first(_MASKED)),
]


def our_values(cases: list[tuple[Any, Any]], seed: int = 0) -> list[list[np.ndarray]]:
    """For each case the output and the gradient, of a sum with random weights; all in one program."""
    inputs, outputs, losses = [], [], []
    with tf.GradientTape() as tape:
        for number, (kwargs, (kind, arguments, shape)) in enumerate(cases, seed):
            rng = np.random.default_rng(number)
            inputs.append(tf.constant(normal(rng, shape)))
            tape.watch(inputs[-1])
            outputs.append(getattr(tf.keras.layers, kind)(**arguments)(inputs[-1], **kwargs))
            losses.append(tf.reduce_sum(outputs[-1] * normal(rng, outputs[-1].shape)))
        loss = tf.add_n(losses)
    gradients = tape.gradient(loss, inputs)
    return [[y.numpy(), g.numpy()] for y, g in zip(outputs, gradients, strict=True)]


def their_values(keras: ModuleType, cases: list[tuple[Any, Any]]) -> Any:
    """The same of Keras 3."""

    def run(arrays: Any) -> Any:
        found = []
        for layer, (kwargs, _), (x, scale) in zip(layers, cases, arrays, strict=True):
            y, back = jax.vjp(lambda x, layer=layer, kwargs=kwargs: layer(x, **kwargs), x)
            found.append([y, *back(scale)])
        return found

    layers, arrays = [], []
    for number, (_, (kind, arguments, shape)) in enumerate(cases):
        rng = np.random.default_rng(number)
        layers.append(getattr(keras.layers, kind)(**arguments))
        arrays.append((normal(rng, shape), normal(rng, layers[-1].compute_output_shape(shape))))
    return jax.jit(run)(arrays)


@pytest.fixture(scope="module")
def values(keras: ModuleType) -> Any:
    return our_values(_CASES), their_values(keras, _CASES)


@pytest.mark.parametrize("number", range(len(_CASES)), ids=[_name(c) for _, c in _CASES])
def test_equals_keras_3(values: Any, number: int) -> None:
    for a, b in zip(values[0][number], values[1][number], strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, np.asarray(b), rtol=1e-5, atol=1e-6)


def test_equals_keras_2(fixtures: Path) -> None:
    # TensorFlow looks its bicubic weights up in a table of 1024, which costs a few digits.
    before = len(_cases["KERAS2_CONVOLUTIONS"])
    with np.load(fixtures / "window_layers.npz") as archive:
        for number, found in enumerate(our_values([({}, case) for case in KERAS2], before)):
            for place, array in enumerate(found):
                expected = archive[f"{number + before}_{place}"]
                np.testing.assert_allclose(
                    array, expected, rtol=2e-3, atol=2e-3, err_msg=_name(KERAS2[number])
                )


@pytest.mark.parametrize("number", range(len(_ALL)), ids=[_name(c) for c in _ALL])
def test_config_is_that_of_keras_2(number: int) -> None:
    kind, arguments, shape = _ALL[number]
    layer = getattr(tf.keras.layers, kind)(**arguments)
    config = json.loads(json.dumps(layer.get_config()))
    del config["name"]
    assert config == _SAID[number]["config"]
    assert list(layer.compute_output_shape(shape)) == _SAID[number]["output"]
    assert layer.weights == []
