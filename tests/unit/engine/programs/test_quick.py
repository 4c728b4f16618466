"""Tests for tapeflow.engine.programs.quick: which programs are compiled in the simpler way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs import quick
from tapeflow.engine.programs.quick import jitted

SMALL, LARGE = jnp.ones((64, 64)), jnp.ones((64, 65))


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What was decided, program by program."""
    found: list[bool] = []
    judge = quick._is_small

    def noted(*arguments: Any) -> bool:
        found.append(judge(*arguments))
        return found[-1]

    monkeypatch.setattr(quick, "_is_small", noted)
    return found


def decide(
    chosen: list[bool], function: Callable[..., Any], *arguments: Any, is_looped: bool = False
) -> bool:
    expected = function(*arguments)
    got = jitted(function, (), is_looped, arguments)[0](*arguments)
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=1e-5), got, expected)
    return chosen[-1]


def test_the_largest_array_decides(chosen: list[bool]) -> None:
    assert decide(chosen, lambda x: jnp.exp(x) @ x.T, SMALL)
    assert not decide(chosen, lambda x: jnp.exp(x), LARGE)
    assert not decide(chosen, lambda x: jnp.sum(x), LARGE)  # a small result of a large input
    assert not decide(chosen, lambda x: x[:, None] * x, jnp.ones(65))


def test_turns_of_loops_count(chosen: list[bool]) -> None:
    def turns(x: Any, count: int) -> Any:
        return jax.lax.scan(lambda c, _: (jnp.cos(c), None), x, length=count)[0]

    assert decide(chosen, lambda x: turns(x, 4), jnp.ones(1024))
    assert not decide(chosen, lambda x: turns(x, 5), jnp.ones(1024))
    assert not decide(
        chosen, lambda x: jax.lax.scan(lambda c, _: (turns(c, 3), None), x, length=2)[0], jnp.ones(1024)
    )


def test_a_loop_of_unknown_length_is_optimised(chosen: list[bool]) -> None:
    def loop(x: Any) -> Any:
        return jax.lax.while_loop(lambda c: jnp.max(c) < 9, lambda c: c + 1, x)

    assert not decide(chosen, loop, jnp.ones(3))
    assert decide(chosen, loop, jnp.ones(3), is_looped=True)
    assert not decide(chosen, lambda x: jax.lax.cond(x[0] > 0, loop, loop, x), jnp.ones(3), is_looped=True)


def test_cutting_a_batch_out_of_many_does_not_count(chosen: list[bool]) -> None:
    rows = jnp.ones((100, 64, 64))
    assert decide(chosen, lambda rows, i: jax.lax.dynamic_index_in_dim(rows, i, 0, False) * 2, rows, 3)
    assert not decide(chosen, lambda rows: rows * 2, rows)


def test_options_reach_xla(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    jit = jax.jit

    def noted(*arguments: Any, **options: Any) -> Any:
        given.append(options.get("compiler_options"))
        return jit(*arguments, **options)

    monkeypatch.setattr(quick.jax, "jit", noted)
    small = {"xla_backend_optimization_level": 2, "xla_cpu_use_fusion_emitters": False}
    draft = {"xla_backend_optimization_level": 1, "xla_cpu_use_fusion_emitters": False}
    for argument, is_draft, is_full, options in [
        (SMALL, False, True, small),
        (SMALL, True, True, small),
        (LARGE, False, True, None),
        (LARGE, True, False, draft),
    ]:
        found, says_full = jitted(jnp.sin, (), False, [argument], is_draft)
        np.testing.assert_allclose(found(argument), jnp.sin(argument), rtol=1e-6)
        assert (says_full, given[-1]) == (is_full, options)


@pytest.mark.parametrize("units", [63, 64, 65, 66])
def test_fit_and_a_tape_are_judged_alike(units: int, chosen: list[bool]) -> None:
    """At sizes around the limit a step runs as the same code by itself and in the loop of `fit`."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(128, 64)).astype("float32"), rng.normal(size=(128, 1)).astype("float32")

    def made() -> Any:
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([tf.keras.layers.Dense(units, "relu"), tf.keras.layers.Dense(1)])
        model.build((None, 64))
        return model

    fitted, looped = made(), made()
    fitted.compile(tf.keras.optimizers.Adam(0.01), "mse")
    del chosen[:]
    fitted.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0)
    assert any(chosen) is (units <= 64)
    optimizer, loss = tf.keras.optimizers.Adam(0.01), tf.keras.losses.MeanSquaredError()
    for i in [*range(0, 128, 16)] * 2:
        with tf.GradientTape() as tape:
            value = loss(y[i : i + 16], looped(x[i : i + 16], training=True))
        gradients = tape.gradient(value, looped.trainable_variables)
        optimizer.apply_gradients(zip(gradients, looped.trainable_variables, strict=True))
    for one, other in zip(fitted.get_weights(), looped.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_fit_and_a_tape_begin_and_end_drafts_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last batch of an epoch, a second size, is a draft for 32 steps and optimised from then on."""
    compiled: list[str] = []
    jit = jitted

    def noted(*arguments: Any) -> Any:
        found, is_full = jit(*arguments)
        compiled.append("full" if is_full else "draft")
        return found, is_full

    monkeypatch.setattr("tapeflow.engine.programs.compiled.jitted", noted)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 64)).astype("float32"), rng.normal(size=(80, 1)).astype("float32")
    batches = [slice(0, 64), slice(64, 80)]

    def made() -> Any:
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([tf.keras.layers.Dense(128, "relu"), tf.keras.layers.Dense(1)])
        model.build((None, 64))
        return model

    fitted, looped = made(), made()
    fitted.compile(tf.keras.optimizers.Adam(0.01), "mse")
    del compiled[:]
    fitted.fit(x, y, batch_size=64, epochs=35, shuffle=False, verbose=0)
    assert sorted(compiled) == ["draft", "full", "full"]
    optimizer, loss = tf.keras.optimizers.Adam(0.01), tf.keras.losses.MeanSquaredError()
    for rows in batches * 35:
        with tf.GradientTape() as tape:
            value = loss(y[rows], looped(x[rows], training=True))
        gradients = tape.gradient(value, looped.trainable_variables)
        optimizer.apply_gradients(zip(gradients, looped.trainable_variables, strict=True))
    assert compiled.count("draft") == 2
    for one, other in zip(fitted.get_weights(), looped.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
