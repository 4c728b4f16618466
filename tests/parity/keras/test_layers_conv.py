"""Convolution layers against Keras 3 (values, gradients) and Keras 2 (configs, weights, and where they differ)."""

from __future__ import annotations

import functools
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
CONVOLUTIONS, KERAS2 = _cases["CONVOLUTIONS"], _cases["KERAS2_CONVOLUTIONS"]
_SAID = json.loads((FIXTURES / "window_layers.json").read_text())


_SOME = [CONVOLUTIONS[number] for number in (1, 5, 7, 9, 12, 14, 19, 21)]


def _name(case: Any) -> str:
    return case[0] + "".join(f"-{v}" for v in case[1].values())


def normal(rng: np.random.Generator, shape: Any) -> np.ndarray:
    return rng.normal(size=tuple(shape)).astype("float32")


def channels_first(case: Any) -> Any:
    kind, arguments, shape = case
    return kind, {**arguments, "data_format": "channels_first"}, (shape[0], shape[-1], *shape[1:-1])


def our_values(cases: list[Any], seed: int = 0) -> list[list[np.ndarray]]:
    """For each case the output and the gradients, of a sum with random weights, of input and weights.

    All cases make one program: it takes a fraction of the time that as many programs would.
    """
    layers, inputs, outputs, losses = [], [], [], []
    with tf.GradientTape() as tape:
        for number, (kind, arguments, shape) in enumerate(cases):
            rng = np.random.default_rng(seed + number)
            layer = getattr(tf.keras.layers, kind)(**arguments)
            layer.build(shape)
            inputs.append(tf.constant(normal(rng, shape)))
            layer.set_weights([normal(rng, w.shape) for w in layer.weights])
            tape.watch(inputs[-1])
            outputs.append(layer(inputs[-1]))
            losses.append(tf.reduce_sum(outputs[-1] * normal(rng, outputs[-1].shape)))
            layers.append(layer)
        loss = tf.add_n(losses)
    sources = [[x, *layer.trainable_weights] for x, layer in zip(inputs, layers, strict=True)]
    gradients = tape.gradient(loss, sources)
    return [[y.numpy(), *[g.numpy() for g in found]] for y, found in zip(outputs, gradients, strict=True)]


def their_values(keras: ModuleType, cases: list[Any]) -> Any:
    """The same of Keras 3."""

    def run(arrays: Any) -> Any:
        found = []
        for layer, (x, weights, scale) in zip(layers, arrays, strict=True):
            y, back = jax.vjp(lambda x, *w, layer=layer: layer.stateless_call(list(w), [], x)[0], x, *weights)
            found.append([y, *back(scale)])
        return found

    layers, arrays = [], []
    for number, (kind, arguments, shape) in enumerate(cases):
        rng = np.random.default_rng(number)
        layer = getattr(keras.layers, kind)(**arguments)
        layer.build(shape)
        layers.append(layer)
        x, weights = normal(rng, shape), [normal(rng, w.shape) for w in layer.weights]
        arrays.append((x, weights, normal(rng, layer.compute_output_shape(shape))))
    return jax.jit(run)(arrays)


_GROUPS = {
    "some": _SOME,
    "others": [case for case in CONVOLUTIONS if case not in _SOME],
    "channels_first": [channels_first(case) for case in _SOME],
}
_NUMBERED = [
    pytest.param(group, number, id=_name(case), marks=[] if group == "some" else [pytest.mark.slow])
    for group, cases in _GROUPS.items()
    for number, case in enumerate(cases)
]


@pytest.fixture(scope="module")
def values(keras: ModuleType) -> Any:
    @functools.cache
    def of_group(group: str) -> Any:
        return our_values(_GROUPS[group]), their_values(keras, _GROUPS[group])

    return of_group


@pytest.mark.parametrize(("group", "number"), _NUMBERED)
def test_equals_keras_3(values: Any, group: str, number: int) -> None:
    found, expected = (part[number] for part in values(group))
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, np.asarray(b), rtol=1e-5, atol=2e-5)


def test_equals_keras_2(fixtures: Path) -> None:
    with np.load(fixtures / "window_layers.npz") as archive:
        for number, found in enumerate(our_values(KERAS2)):
            for place, array in enumerate(found):
                expected = archive[f"{number}_{place}"]
                np.testing.assert_allclose(
                    array, expected, rtol=1e-5, atol=2e-5, err_msg=_name(KERAS2[number])
                )


def plain(value: Any) -> Any:
    """A config as JSON would have it."""
    return json.loads(json.dumps(value, default=str))


ALL = [*CONVOLUTIONS, *KERAS2]
# Keras 2's Conv3DTranspose alone leaves its groups out of the config.
_NOT_SAID = {"Conv3DTranspose": ("dilation_rate", "groups")}


@pytest.mark.parametrize("number", range(len(ALL)), ids=[_name(c) for c in ALL])
def test_config_and_weights_are_those_of_keras_2(number: int) -> None:
    kind, arguments, shape = ALL[number]
    said = _SAID[number]
    layer = getattr(tf.keras.layers, kind)(**arguments)
    layer.build(shape)
    assert [[w.name.split("/")[-1], list(w.shape)] for w in layer.weights] == said["weights"]
    config = {k: v for k, v in plain(layer.get_config()).items() if k != "name"}
    assert set(config) - set(_NOT_SAID.get(kind, ())) == set(said["config"]) - set(_NOT_SAID.get(kind, ()))
    for key, value in said["config"].items():
        if key.endswith("initializer"):
            assert config[key]["class_name"] == value["class_name"]
        else:
            assert config[key] == value, key
    assert list(layer.compute_output_shape(shape)) == said["output"]
