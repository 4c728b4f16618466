"""Activations against Keras 2 (values and gradients from files) and Keras 3 (in process)."""

from __future__ import annotations

import functools
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import activations

KERAS_2: dict[str, tuple[str, dict[str, Any]]] = {
    "relu": ("relu", {}),
    "relu_slope": ("relu", {"alpha": 0.3}),
    "relu_max": ("relu", {"max_value": 1.5}),
    "relu_six": ("relu", {"max_value": 6}),
    "relu_threshold": ("relu", {"threshold": 0.7}),
    "relu_all": ("relu", {"negative_slope": 0.2, "max_value": 2.0, "threshold": -0.5}),
    "relu_six_slope": ("relu", {"alpha": 0.2, "max_value": 6}),
    "elu": ("elu", {}),
    "elu_alpha": ("elu", {"alpha": 0.4}),
    "selu": ("selu", {}),
    "softplus": ("softplus", {}),
    "softsign": ("softsign", {}),
    "swish": ("swish", {}),
    "gelu": ("gelu", {}),
    "gelu_approximate": ("gelu", {"approximate": True}),
    "tanh": ("tanh", {}),
    "sigmoid": ("sigmoid", {}),
    "exponential": ("exponential", {}),
    "hard_sigmoid": ("hard_sigmoid", {}),
    "mish": ("mish", {}),
    "softmax": ("softmax", {}),
    "softmax_first": ("softmax", {"axis": 0}),
    "softmax_both": ("softmax", {"axis": [0, 1]}),
}
KERAS_3: dict[str, dict[str, Any]] = {
    "celu": {"alpha": 0.7},
    "glu": {},
    "hard_shrink": {"threshold": 0.6},
    "hard_silu": {},
    "hard_tanh": {},
    "leaky_relu": {"negative_slope": 0.1},
    "linear": {},
    "log_sigmoid": {},
    "log_softmax": {"axis": 0},
    "relu6": {},
    "silu": {},
    "soft_shrink": {"threshold": 0.4},
    "sparse_plus": {},
    "sparse_sigmoid": {},
    "squareplus": {"b": 3},
    "tanh_shrink": {},
    "threshold": {"threshold": 0.3, "default_value": -2.0},
}


@pytest.fixture(scope="module")
def recorded(fixtures: Path) -> dict[str, np.ndarray]:
    with np.load(fixtures / "base_families.npz") as arrays:
        return dict(arrays)


Results = dict[str, tuple[np.ndarray, np.ndarray]]


def values_and_gradients(functions: dict[str, Any], x: np.ndarray, weights: dict[str, Any]) -> Results:
    """What each function gives and its gradient, all in one program."""
    variable = tf.Variable(x)
    with tf.GradientTape(persistent=True) as tape:
        values = {case: function(tf.convert_to_tensor(variable)) for case, function in functions.items()}
        totals = {case: tf.reduce_sum(y * weights[case]) for case, y in values.items()}
    slopes = {case: tape.gradient(total, variable) for case, total in totals.items()}
    return {case: (values[case].numpy(), slopes[case].numpy()) for case in functions}


@pytest.fixture(scope="module")
def like_keras_2(recorded: dict[str, np.ndarray]) -> Results:
    functions = {
        case: functools.partial(getattr(activations, name), **arguments)
        for case, (name, arguments) in KERAS_2.items()
    }
    weights = dict.fromkeys(KERAS_2, recorded["weights"])
    return values_and_gradients(functions, recorded["x"], weights)


@pytest.mark.parametrize("case", KERAS_2)
def test_keras_2(case: str, like_keras_2: Results, recorded: dict[str, np.ndarray]) -> None:
    y, gradient = like_keras_2[case]
    np.testing.assert_allclose(y, recorded[f"activation/{case}"], rtol=2e-6, atol=1e-6)
    np.testing.assert_allclose(gradient, recorded[f"gradient/{case}"], rtol=2e-5, atol=2e-6)


@pytest.fixture(scope="module")
def keras_3_and_ours(keras: ModuleType) -> tuple[Results, Results]:
    rng = np.random.default_rng(7)
    x = rng.normal(scale=2, size=(4, 6)).astype("float32")
    oracles, functions = (
        {name: functools.partial(getattr(module, name), **given) for name, given in KERAS_3.items()}
        for module in (keras.activations, activations)
    )
    expected = {name: oracle(x) for name, oracle in oracles.items()}
    weights = {name: rng.normal(size=y.shape).astype("float32") for name, y in expected.items()}
    slopes = jax.jit(
        lambda x: {
            name: jax.grad(lambda x, name=name: (oracles[name](x) * weights[name]).sum())(x)
            for name in oracles
        }
    )(x)
    theirs = {name: (np.asarray(expected[name]), np.asarray(slopes[name])) for name in oracles}
    return theirs, values_and_gradients(functions, x, weights)


@pytest.mark.parametrize("name", KERAS_3)
def test_keras_3(name: str, keras_3_and_ours: tuple[Results, Results]) -> None:
    (expected, slope), (y, gradient) = (results[name] for results in keras_3_and_ours)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, expected, rtol=2e-6, atol=1e-6)
    np.testing.assert_allclose(gradient, slope, rtol=2e-5, atol=2e-6)


def test_sparsemax_is_the_nearest_probability_vector(rng: np.random.Generator) -> None:
    # Not against Keras 3, whose sparsemax gives vectors that do not sum to 1.
    x = rng.normal(scale=1.5, size=(5, 4)).astype("float32")
    nearest = activations.sparsemax(tf.constant(x)).numpy()
    np.testing.assert_allclose(nearest.sum(-1), 1, rtol=1e-6)
    assert (nearest >= 0).all()
    assert (nearest == 0).any()
    others = rng.dirichlet(np.ones(4), size=(2000, 5))
    distances = np.linalg.norm(others - x, axis=-1).min(0)
    assert (np.linalg.norm(nearest - x, axis=-1) <= distances + 1e-6).all()
    np.testing.assert_array_equal(activations.sparsemax(tf.constant(x.T), axis=0).numpy(), nearest.T)


def test_every_activation_of_keras_3_is_here(keras: ModuleType) -> None:
    missing = [name for name in dir(keras.activations) if name[0] != "_" and not hasattr(activations, name)]
    assert missing == []


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)
