"""Recurrent layers against Keras 3, with copied weights: outputs, states and gradients."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf

X = np.random.default_rng(0).normal(size=(3, 5, 4)).astype("float32")
MASK = np.array([[1, 1, 1, 0, 0], [0, 1, 1, 0, 1], [1, 1, 1, 1, 1]], bool)
L = tf.keras.layers

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("SimpleRNN", {}),
    ("SimpleRNN", {"return_sequences": True, "use_bias": False, "activation": "relu"}),
    ("LSTM", {}),
    ("LSTM", {"return_sequences": True, "return_state": True, "go_backwards": True}),
    ("LSTM", {"use_bias": False, "unroll": True, "recurrent_activation": "hard_sigmoid"}),
    ("GRU", {}),
    ("GRU", {"return_sequences": True, "return_state": True, "go_backwards": True}),
    ("GRU", {"reset_after": False, "return_sequences": True}),
    ("GRU", {"reset_after": False, "use_bias": False}),
]


def pair(keras: ModuleType, name: str, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The layer here and there, with the same weights."""
    mine = getattr(L, name)(6, **kwargs)
    mine.build(X.shape)
    theirs = getattr(keras.layers, name)(6, **kwargs, **({} if name == "SimpleRNN" else {"use_cudnn": False}))
    theirs.build(X.shape)
    assert [tuple(w.shape) for w in mine.weights] == [tuple(w.shape) for w in theirs.weights]
    theirs.set_weights(mine.get_weights())
    return mine, theirs


def listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def assert_alike(mine: Any, theirs: Any, tolerance: float = 2e-6) -> None:
    for a, b in zip(listed(mine), listed(theirs), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


def hard_sigmoid(x: Any) -> Any:
    """Keras 2's, which Keras 3 does not have."""
    return jnp.clip(0.2 * x + 0.5, 0, 1).astype(x.dtype)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
@pytest.mark.parametrize(("name", "kwargs"), VARIANTS, ids=str)
def test_outputs(keras: ModuleType, name: str, kwargs: dict[str, Any], mask: np.ndarray | None) -> None:
    mine, theirs = pair(keras, name, kwargs)
    if kwargs.get("recurrent_activation"):
        theirs.cell.recurrent_activation = hard_sigmoid
    assert_alike(mine(X, mask=mask), theirs(X, mask=mask))


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("SimpleRNN", {}),
        ("LSTM", {"return_sequences": True}),
        ("GRU", {}),
        ("GRU", {"reset_after": False}),
    ],
    ids=str,
)
def test_gradients(keras: ModuleType, name: str, kwargs: dict[str, Any]) -> None:
    mine, theirs = pair(keras, name, kwargs)
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.sin(mine(x, mask=MASK)))
    found = tape.gradient(loss, [*mine.trainable_weights, x])

    def total(weights: Any, inputs: Any) -> Any:
        state = [v.value for v in theirs.non_trainable_variables]
        outputs, _ = theirs.stateless_call(weights, state, inputs, mask=MASK)
        return jnp.sum(jnp.sin(outputs))

    by_weight, by_input = jax.grad(total, (0, 1))(
        [v.value for v in theirs.trainable_variables], jnp.asarray(X)
    )
    assert_alike(found, [*by_weight, by_input], 2e-5)


@pytest.mark.parametrize("name", ["SimpleRNN", "LSTM", "GRU"])
def test_initial_state(keras: ModuleType, name: str) -> None:
    mine, theirs = pair(keras, name, {"return_sequences": True})
    count = 2 if name == "LSTM" else 1
    states = [np.random.default_rng(i).normal(size=(3, 6)).astype("float32") for i in range(count)]
    given = states if count > 1 else states[0]
    assert_alike(mine(X, initial_state=given), theirs(X, initial_state=given))


@pytest.mark.parametrize("merge_mode", ["concat", "sum", "mul", "ave", None])
@pytest.mark.parametrize(
    "kwargs", [{}, {"return_sequences": True, "return_state": True}], ids=["last", "sequences"]
)
def test_bidirectional(keras: ModuleType, merge_mode: str | None, kwargs: dict[str, Any]) -> None:
    mine = L.Bidirectional(L.LSTM(6, **kwargs), merge_mode=merge_mode)
    mine.build(X.shape)
    theirs = keras.layers.Bidirectional(
        keras.layers.LSTM(6, use_cudnn=False, **kwargs), merge_mode=merge_mode
    )
    theirs.build(X.shape)
    theirs.set_weights(mine.get_weights())
    assert_alike(mine(X, mask=MASK), theirs(X, mask=MASK))


def test_stacked_cells(keras: ModuleType) -> None:
    mine = L.RNN([L.LSTMCell(3), L.GRUCell(5)], return_sequences=True)
    mine.build(X.shape)
    theirs = keras.layers.RNN([keras.layers.LSTMCell(3), keras.layers.GRUCell(5)], return_sequences=True)
    theirs.build(X.shape)
    theirs.set_weights(mine.get_weights())
    assert_alike(mine(X, mask=MASK), theirs(X, mask=MASK))


def test_keras_2_keeps_zeros_before_the_first_step_that_counts(fixtures: Any) -> None:
    """With initial states and leading masked steps, outputs are 0 until a step counts; states are kept."""
    kept = np.load(fixtures / "recurrent_keras2.npz")
    for name in ("SimpleRNN", "LSTM", "GRU"):
        layer = getattr(L, name)(3, return_sequences=True, return_state=True)
        layer.build(kept["x"].shape)
        layer.set_weights([kept[f"{name}_w{i}"] for i in range(3)])
        states = [kept["state"]] * (2 if name == "LSTM" else 1)
        found = layer(kept["x"], mask=kept["mask"], initial_state=states)
        assert_alike(found, [kept[f"{name}_y{i}"] for i in range(len(found))])
