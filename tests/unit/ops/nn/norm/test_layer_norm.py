"""Layer normalisation: its own gradient against differences, and a second derivative."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.nn.norm.layer_norm import layer_norm_op

RNG = np.random.default_rng(2)
X, SCALE, OFFSET = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
FACTORS = RNG.normal(size=(2, 3, 4))


def _loss(x: np.ndarray, scale: np.ndarray, offset: np.ndarray) -> float:
    mean, spread = x.mean((1, 2), keepdims=True), x.var((1, 2), keepdims=True)
    return float((FACTORS * np.tanh((x - mean) / np.sqrt(spread + 1e-3) * scale + offset)).sum())


def _difference(arguments: list[np.ndarray], which: int) -> np.ndarray:
    found = np.zeros_like(arguments[which])
    for place in np.ndindex(found.shape):
        ends = []
        for step in (1e-5, -1e-5):
            moved = [a.copy() for a in arguments]
            moved[which][place] += step
            ends.append(_loss(*moved))
        found[place] = (ends[0] - ends[1]) / 2e-5
    return found


def _call(x: tf.Tensor, *rest: tf.Tensor) -> tf.Tensor:
    return layer_norm_op(x, *rest, axes=(1, 2), epsilon=1e-3, has_scale=True, has_offset=True)


def test_gradient() -> None:
    given = [tf.constant(a, tf.float64) for a in (X, SCALE, OFFSET)]
    with tf.GradientTape() as tape:
        for t in given:
            tape.watch(t)
        loss = tf.reduce_sum(FACTORS * tf.tanh(_call(*given)))
    for which, gradient in enumerate(tape.gradient(loss, given)):
        np.testing.assert_allclose(gradient.numpy(), _difference([X, SCALE, OFFSET], which), atol=1e-8)


@pytest.mark.parametrize(("has_scale", "has_offset"), [(False, False), (True, False), (False, True)])
def test_without_scale_or_offset(has_scale: bool, has_offset: bool) -> None:
    x = tf.constant(X)
    rest = [tf.constant(p) for p, wanted in ((SCALE, has_scale), (OFFSET, has_offset)) if wanted]
    y = layer_norm_op(x, *rest, axes=(1, 2), epsilon=1e-3, has_scale=has_scale, has_offset=has_offset)
    full = _call(x, tf.constant(SCALE if has_scale else SCALE * 0 + 1), tf.constant(OFFSET * has_offset))
    np.testing.assert_allclose(y.numpy(), full.numpy(), atol=1e-12)


def test_second_derivative() -> None:
    x = tf.constant([[1.0, 2.0, 4.0]], tf.float64)
    weights = tf.constant([1.0, -2.0, 3.0], tf.float64)

    def slope(value: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(value)
            y = layer_norm_op(value, axes=(1,), epsilon=1e-3, has_scale=False, has_offset=False)
            loss = tf.reduce_sum(weights * y * y)
        return tf.reduce_sum(tape.gradient(loss, value) * weights)

    with tf.GradientTape() as outer:
        outer.watch(x)
        first = slope(x)
    second = outer.gradient(first, x).numpy()
    for i in range(3):
        step = np.eye(3)[i : i + 1] * 1e-5
        expected = (float(slope(x + step)) - float(slope(x - step))) / 2e-5
        assert abs(second[0, i] - expected) < 1e-6
