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


@pytest.mark.parametrize("mask", [pytest.param(None, marks=pytest.mark.slow), MASK], ids=["all", "masked"])
@pytest.mark.parametrize(("name", "kwargs"), VARIANTS, ids=str)
def test_outputs(keras: ModuleType, name: str, kwargs: dict[str, Any], mask: np.ndarray | None) -> None:
    mine, theirs = pair(keras, name, kwargs)
    if kwargs.get("recurrent_activation"):
        theirs.cell.recurrent_activation = hard_sigmoid
    assert_alike(mine(X, mask=mask), theirs(X, mask=mask))


def assert_same_gradients(mine: Any, theirs: Any, **arguments: Any) -> None:
    """Of a sum over all results, states included, for the weights and the input."""
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.add_n([tf.reduce_sum(tf.sin(y)) for y in listed(mine(x, **arguments))])
    found = tape.gradient(loss, [*mine.trainable_weights, x])

    @jax.jit
    def gradients(weights: Any, state: Any, inputs: Any) -> Any:
        def total(weights: Any, inputs: Any) -> Any:
            outputs, _ = theirs.stateless_call(weights, state, inputs, **arguments)
            return sum(jnp.sum(jnp.sin(y)) for y in listed(outputs))

        return jax.grad(total, (0, 1))(weights, inputs)

    by_weight, by_input = gradients(
        [v.value for v in theirs.trainable_variables],
        [v.value for v in theirs.non_trainable_variables],
        jnp.asarray(X),
    )
    assert_alike(found, [*by_weight, by_input], 2e-5)


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [pytest.param(*v, marks=[] if i in (1, 2, 6) else [pytest.mark.slow]) for i, v in enumerate(VARIANTS)],
    ids=str,
)
def test_gradients(keras: ModuleType, name: str, kwargs: dict[str, Any]) -> None:
    mine, theirs = pair(keras, name, kwargs)
    if kwargs.get("recurrent_activation"):
        theirs.cell.recurrent_activation = hard_sigmoid
    assert_same_gradients(mine, theirs, mask=MASK)


STATES = [np.random.default_rng(i).normal(size=(3, 6)).astype("float32") for i in range(2)]
NESTED: dict[str, tuple[str, dict[str, Any]]] = {
    "state": ("L.LSTM(6, return_sequences=True, return_state=True)", {"initial_state": STATES}),
    "concat": ("L.Bidirectional(L.GRU(6, return_sequences=True))", {"mask": MASK}),
    "mul": ("L.Bidirectional(L.LSTM(6, return_state=True), merge_mode='mul')", {"mask": MASK}),
    "apart": ("L.Bidirectional(L.SimpleRNN(6), merge_mode=None)", {}),
    "each step": ("L.TimeDistributed(L.Dense(3, activation='tanh'))", {}),
    "stacked": (
        "L.RNN([L.LSTMCell(3), L.GRUCell(5), L.SimpleRNNCell(2)], return_sequences=True)",
        {"mask": MASK},
    ),
}


@pytest.mark.parametrize(
    "case", [pytest.param(name, marks=[pytest.mark.slow] if name == "stacked" else []) for name in NESTED]
)
def test_gradients_of_what_holds_cells(keras: ModuleType, case: str) -> None:
    expression, arguments = NESTED[case]
    mine, theirs = [eval(expression, {"L": found}) for found in (L, keras.layers)]
    for layer in (mine, theirs):
        layer.build(X.shape)
    assert [tuple(w.shape) for w in mine.weights] == [tuple(w.shape) for w in theirs.weights]
    theirs.set_weights(mine.get_weights())
    assert_same_gradients(mine, theirs, **arguments)


@pytest.mark.parametrize("name", ["SimpleRNN", "LSTM", "GRU"])
def test_initial_state(keras: ModuleType, name: str) -> None:
    mine, theirs = pair(keras, name, {"return_sequences": True})
    count = 2 if name == "LSTM" else 1
    states = [np.random.default_rng(i).normal(size=(3, 6)).astype("float32") for i in range(count)]
    given = states if count > 1 else states[0]
    assert_alike(mine(X, initial_state=given), theirs(X, initial_state=given))


@pytest.mark.parametrize(
    "merge_mode", ["concat", *[pytest.param(m, marks=pytest.mark.slow) for m in ("sum", "mul", "ave")], None]
)
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
