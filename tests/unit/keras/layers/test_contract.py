"""What every layer must do. The layers are in `cases.py`: add yours there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.values import nest

from .cases import CASES, Case


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


def _inputs(case: Case) -> Any:
    return nest.map_structure(tf.constant, case.make_inputs())


def _arrays(outputs: Any) -> list[np.ndarray]:
    return [np.asarray(x.numpy(), "float64") for x in nest.flatten(outputs)]


def _assert_same(one: Any, two: Any, tolerance: float = 1e-6) -> None:
    first, second = _arrays(one), _arrays(two)
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def _loss(outputs: Any) -> Any:
    """A number that every output has a share in, with different weights."""
    total = tf.constant(0.0)
    for output in nest.flatten(outputs):
        floats = tf.cast(output, tf.float32)
        weights = tf.reshape(tf.cast(tf.range(1, tf.size(floats) + 1), tf.float32), floats.shape)
        total += tf.reduce_sum(tf.sin(weights) * floats)
    return total


def test_staged_equals_eager(case: Case) -> None:
    layer, inputs = case.make_layer(), _inputs(case)
    eager = layer(inputs, training=False)
    staged = tf.function(lambda x: layer(x, training=False))
    _assert_same(eager, staged(inputs))
    _assert_same(eager, staged(inputs))


def test_staged_training_equals_eager(case: Case) -> None:
    inputs = _inputs(case)
    first, second = case.make_layer(), case.make_layer()
    for layer in (first, second):
        layer(inputs, training=False)
    second.set_weights(first.get_weights())
    staged = tf.function(lambda x: second(x, training=True))
    for _ in range(2):
        _assert_same(first(inputs, training=True), staged(inputs), 1e-5)
    for mine, other in zip(first.weights, second.weights, strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", [c for c in CASES if c.is_random], ids=lambda case: case.name)
def test_random_layers_draw_anew_and_only_in_training(case: Case) -> None:
    layer, inputs = case.make_layer(), _inputs(case)
    _assert_same(layer(inputs, training=False), layer(inputs, training=False))
    one, two = layer(inputs, training=True), layer(inputs, training=True)
    assert any(not np.array_equal(a, b) for a, b in zip(_arrays(one), _arrays(two), strict=True))


def test_gradient_reaches_every_trainable_weight_and_the_inputs(case: Case) -> None:
    layer, inputs = case.make_layer(), _inputs(case)
    layer(inputs, training=True)
    with tf.GradientTape() as tape:
        watched = [x for x in nest.flatten(inputs) if x.dtype.is_floating]
        for x in watched:
            tape.watch(x)
        loss = _loss(layer(inputs, training=True))
    weights = layer.trainable_weights
    by_weight, by_input = tape.gradient(loss, (weights, watched))
    for weight, gradient in zip(weights, by_weight, strict=True):
        assert gradient is not None, weight.name
        value = tf.convert_to_tensor(gradient).numpy()
        assert value.shape == tuple(weight.shape)
        assert np.isfinite(value).all(), weight.name
        assert np.abs(value).max() > 0, weight.name
    if case.has_input_gradient:
        for x, gradient in zip(watched, by_input, strict=True):
            assert gradient is not None
            assert gradient.shape == x.shape
            assert np.isfinite(gradient.numpy()).all()
            assert np.abs(gradient.numpy()).max() > 0


def test_config_round_trip(case: Case) -> None:
    layer, inputs = case.make_layer(), _inputs(case)
    expected = layer(inputs, training=False)
    config = tf.keras.layers.serialize(layer)
    again = tf.keras.layers.deserialize(config)
    assert type(again) is type(layer)
    assert again.name == layer.name
    again(inputs, training=False)
    again.set_weights(layer.get_weights())
    _assert_same(expected, again(inputs, training=False))
    assert again.get_config() == layer.get_config()


def test_compute_output_shape(case: Case) -> None:
    layer, inputs = case.make_layer(), _inputs(case)
    shapes = nest.map_structure(lambda x: x.shape, inputs)
    said = case.make_layer().compute_output_shape(shapes)
    outputs = layer(inputs)
    flat = nest.flatten(outputs)
    said_flat = [said] if len(flat) == 1 and not isinstance(said, list) else list(said)
    assert [tuple(s) for s in said_flat] == [tuple(x.shape) for x in flat]


def test_functional_model_equals_eager(case: Case) -> None:
    layer, inputs = case.make_layer(), _inputs(case)
    expected = layer(inputs, training=False)
    symbols = nest.map_structure(lambda x: tf.keras.Input(x.shape[1:], dtype=x.dtype), inputs)
    outputs = layer(symbols)
    for symbol, real in zip(nest.flatten(outputs), nest.flatten(expected), strict=True):
        assert tuple(symbol.shape)[1:] == tuple(real.shape)[1:]
        assert symbol.dtype == real.dtype
    model = tf.keras.Model(symbols, outputs)
    _assert_same(expected, model(inputs, training=False))


def _under_policy(layer: Any, policy: str) -> Any:
    return tf.keras.layers.deserialize(_with_dtype(tf.keras.layers.serialize(layer), policy))


def _with_dtype(config: Any, policy: str) -> Any:
    """A config with another dtype, in the layers it holds too."""
    if isinstance(config, (list, tuple)):
        return type(config)(_with_dtype(c, policy) for c in config)
    if not isinstance(config, dict):
        return config
    return {k: policy if k == "dtype" else _with_dtype(v, policy) for k, v in config.items()}


@pytest.mark.parametrize(
    ("policy", "weight", "compute"),
    [
        ("mixed_float16", "float32", "float16"),
        pytest.param("mixed_bfloat16", "float32", "bfloat16", marks=pytest.mark.slow),
        pytest.param("float64", "float64", "float64", marks=pytest.mark.slow),
    ],
)
def test_dtype_policy(case: Case, policy: str, weight: str, compute: str) -> None:
    layer = _under_policy(case.make_layer(), policy)
    # Not run: the dtypes are known as soon as the call is recorded.
    for training in (False, True):
        outputs = layer(_inputs(case), training=training)
        if not case.keeps_input_dtype:
            assert {x.dtype.name for x in nest.flatten(outputs)} == {compute}
    assert {w.dtype.name for w in layer.weights if w.dtype.is_floating} <= {weight}


def test_mixed_precision_values(case: Case) -> None:
    plain, inputs = case.make_layer(), _inputs(case)
    layer = _under_policy(plain, "mixed_float16")
    outputs = layer(inputs, training=False)
    plain(inputs, training=False)
    plain.set_weights(layer.get_weights())
    _assert_same(plain(inputs, training=False), outputs, 0.02)


def test_weights(case: Case) -> None:
    layer, inputs = case.make_layer(), _inputs(case)
    layer(inputs)
    names = [w.name.removeprefix(f"{layer.name}/").removesuffix(":0") for w in layer.weights]
    if case.weights is not None:
        assert names == case.weights
    assert layer.weights == layer.trainable_weights + layer.non_trainable_weights
    layer.trainable = False
    assert layer.trainable_weights == []
    assert len(layer.non_trainable_weights) == len(names)
