"""Attention layers against Keras 3, with copied weights; against Keras 2 where a whole row is masked."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf

RNG = np.random.default_rng(0)
QUERY = RNG.normal(size=(3, 5, 4)).astype("float32")
VALUE = RNG.normal(size=(3, 6, 4)).astype("float32")
KEY = RNG.normal(size=(3, 6, 4)).astype("float32")
# Every row attends to something: where none does, Keras 2 and 3 differ.
MASK = RNG.integers(0, 2, (3, 5, 6)).astype(bool) | (np.arange(6) == 0)
L = tf.keras.layers


def assert_alike(mine: Any, theirs: Any, tolerance: float = 2e-6) -> None:
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"attention_mask": MASK},
        {"use_causal_mask": True},
        {"attention_mask": MASK, "use_causal_mask": True},
    ],
    ids=lambda call: "+".join(call) or "plain",
)
@pytest.mark.parametrize(
    "kwargs",
    [{"value_dim": 7, "use_bias": False, "output_shape": 9}, pytest.param({}, marks=pytest.mark.slow)],
    ids=str,
)
def test_multi_head_attention(keras: ModuleType, kwargs: dict[str, Any], call: dict[str, Any]) -> None:
    mine, theirs = L.MultiHeadAttention(2, 3, **kwargs), keras.layers.MultiHeadAttention(2, 3, **kwargs)
    found = mine(QUERY, VALUE, KEY, return_attention_scores=True, **call)
    theirs.build(QUERY.shape, VALUE.shape, KEY.shape)
    assert [tuple(w.shape) for w in mine.weights] == [tuple(w.shape) for w in theirs.weights]
    theirs.set_weights(mine.get_weights())
    assert_alike(found, theirs(QUERY, VALUE, KEY, return_attention_scores=True, **call))


def test_multi_head_attention_over_two_axes(keras: ModuleType) -> None:
    x = RNG.normal(size=(2, 3, 4, 2, 6)).astype("float32")
    mine = L.MultiHeadAttention(2, 3, attention_axes=(2, 3))
    theirs = keras.layers.MultiHeadAttention(2, 3, attention_axes=(2, 3))
    found = mine(x, x, return_attention_scores=True)
    theirs.build(x.shape, x.shape)
    theirs.set_weights(mine.get_weights())
    assert_alike(found, theirs(x, x, return_attention_scores=True))


def test_multi_head_attention_gradients(keras: ModuleType) -> None:
    mine, theirs = L.MultiHeadAttention(2, 3), keras.layers.MultiHeadAttention(2, 3)
    query, value = tf.constant(QUERY), tf.constant(VALUE)
    with tf.GradientTape() as tape:
        tape.watch([query, value])
        loss = tf.reduce_sum(tf.sin(mine(query, value, attention_mask=MASK)))
    found = tape.gradient(loss, [*mine.trainable_weights, query, value])
    theirs.build(QUERY.shape, VALUE.shape)
    theirs.set_weights(mine.get_weights())

    def total(weights: Any, query: Any, value: Any) -> Any:
        state = [v.value for v in theirs.non_trainable_variables]
        outputs, _ = theirs.stateless_call(weights, state, query, value, attention_mask=MASK)
        return jnp.sum(jnp.sin(outputs))

    weights = [v.value for v in theirs.trainable_variables]
    by_weight, *by_input = jax.grad(total, (0, 1, 2))(weights, jnp.asarray(QUERY), jnp.asarray(VALUE))
    assert_alike(found, [*by_weight, *by_input], 2e-5)


@pytest.mark.parametrize("robust", [False, True])
def test_keras_2_attends_somewhere_where_all_is_masked(fixtures: Any, robust: bool) -> None:
    kept = np.load(fixtures / "attention_keras2.npz")
    layer = L.MultiHeadAttention(2, 3, softmax_robust_masking=robust)
    layer.build(kept["query"].shape, kept["value"].shape)
    layer.set_weights([kept[f"{robust}_w{i}"] for i in range(8)])
    found = layer(
        kept["query"], kept["value"], attention_mask=kept["attention_mask"], return_attention_scores=True
    )
    assert_alike(found, [kept[f"{robust}_output"], kept[f"{robust}_scores"]])


@pytest.mark.parametrize("masks", [None, [QUERY[..., 0] > 0, VALUE[..., 0] > -1]], ids=["all", "masked"])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("Attention", {}),
        ("Attention", {"use_scale": True}),
        ("Attention", {"use_scale": True, "score_mode": "concat"}),
        ("AdditiveAttention", {}),
        ("AdditiveAttention", {"use_scale": False}),
    ],
    ids=str,
)
def test_attention(keras: ModuleType, name: str, kwargs: dict[str, Any], is_causal: bool, masks: Any) -> None:
    mine, theirs = getattr(L, name)(**kwargs), getattr(keras.layers, name)(**kwargs)
    call = {"return_attention_scores": True, "use_causal_mask": is_causal, "mask": masks}
    found = mine([QUERY, VALUE, KEY], **call)
    theirs.build([QUERY.shape, VALUE.shape, KEY.shape])
    theirs.set_weights([w + 0.5 for w in mine.get_weights()])
    mine.set_weights(theirs.get_weights())
    found = mine([QUERY, VALUE, KEY], **call)
    assert_alike(found, theirs([QUERY, VALUE, KEY], **call))
