"""Activations: the contract of the family, look-up, and what a cross-entropy finds on their results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import activations

NAMES = sorted(set(activations._FUNCTIONS) - {"threshold"})
X = np.array([[-2.0, -0.4, 0.3, 1.7], [5.0, -7.0, 0.1, 0.2]], "float32")


def every(x: Any) -> dict[str, Any]:
    """All activations of `x`: one program, as compiling one for each would take its time."""
    return {name: activations.get(name)(x) for name in NAMES}


def test_staged_equals_eager() -> None:
    staged = tf.function(every)(tf.constant(X))
    for name, eager in every(tf.constant(X)).items():
        np.testing.assert_allclose(staged[name].numpy(), eager.numpy(), rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.slow
def test_gradients_are_finite_far_out() -> None:
    x = tf.Variable([[-1e4, 0.0, 1.0, 50.0]])
    with tf.GradientTape(persistent=True) as tape:
        results = every(tf.convert_to_tensor(x))
    slopes = {name: tape.gradient(y, x) for name, y in results.items()}
    for name, slope in slopes.items():
        assert np.isfinite(slope.numpy()).all(), name


def test_symbolic_tensors() -> None:
    x = tf.keras.Input((4,))
    results = tf.keras.Model(x, every(x))(tf.constant(X))
    for name, expected in every(tf.constant(X)).items():
        np.testing.assert_allclose(
            results[name].numpy(), expected.numpy(), rtol=1e-6, atol=1e-7, err_msg=name
        )
        has_logits = results[name]._keras_logits is not None
        assert has_logits == (name in ("softmax", "sigmoid")), name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_dtype_is_kept(dtype: str) -> None:
    for name, y in every(tf.constant(X, dtype)).items():
        assert y.dtype == tf.as_dtype(dtype), name


@pytest.mark.parametrize("name", NAMES)
def test_name_round_trip(name: str) -> None:
    function = activations.get(name)
    assert activations.serialize(function) == name
    assert activations.deserialize(name) is function


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"sparsemax", "linear"}))
def test_lists_are_taken(name: str) -> None:
    function = activations.get(name)
    np.testing.assert_allclose(function(X.tolist()).numpy(), function(tf.constant(X)).numpy(), rtol=1e-6)


def test_linear_returns_its_argument() -> None:
    x = tf.constant(X)
    assert activations.linear(x) is x
    assert activations.get(None) is activations.linear


def test_callables_and_functions_of_tf_nn() -> None:
    assert activations.get(tf.nn.relu) is tf.nn.relu
    assert activations.serialize(tf.nn.softmax) == "softmax"

    def mine(x: Any) -> Any:
        return x

    assert activations.get(mine) is mine
    assert activations.serialize(mine) == "mine"
    with tf.keras.saving.custom_object_scope({"mine": mine}):
        assert activations.get("mine") is mine


def test_functions_in_the_form_of_keras_3() -> None:
    config = {"module": "builtins", "class_name": "function", "config": "gelu", "registered_name": "function"}
    assert activations.get(config) is activations.gelu


def test_sigmoid_and_softmax_leave_their_input_on_the_result() -> None:
    x = tf.constant(X)
    assert activations.sigmoid(x)._keras_logits is x
    assert activations.softmax(x)._keras_logits is x
    assert activations.softmax(x, axis=1)._keras_logits is x
    assert activations.softmax(x, axis=0)._keras_logits is None, "the loss would take another axis"


def test_relu_of_integers() -> None:
    assert activations.relu(tf.constant([-1, 2])).numpy().tolist() == [0, 2]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: activations.get("reluu"), ValueError, "Unknown activation function: 'reluu'. Please ensure"),
        (lambda: activations.get(3), TypeError, "Could not interpret activation function identifier: 3"),
        (
            lambda: activations.softmax(tf.constant([1.0])),
            ValueError,
            "Cannot apply softmax to a tensor that is 1D",
        ),
    ],
)
def test_unknown_identifiers_and_scalars_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
