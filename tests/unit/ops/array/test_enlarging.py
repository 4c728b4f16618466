"""Repeating and mixing: values, gradients and half precision."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.array.enlarging import METHODS, mix_op, repeat_op

X = np.random.default_rng(0).normal(size=(2, 3, 4, 2)).astype("float32")


def test_repeat_equals_numpy() -> None:
    found = repeat_op(X, factors=((1, 2), (2, 3))).numpy()
    np.testing.assert_array_equal(found, X.repeat(2, 1).repeat(3, 2))


def test_gradient_of_repeat_counts() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(repeat_op(x, factors=((1, 2), (3, 5))))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), np.full(X.shape, 10, "float32"))


@pytest.mark.parametrize(
    ("method", "theirs"), [("bilinear", "linear"), ("bicubic", "cubic"), ("lanczos3", "lanczos3")]
)
def test_mix_equals_jax_image(method: str, theirs: str) -> None:
    found = mix_op(X, factors=((1, 2), (2, 3)), method=method).numpy()
    expected = jax.image.resize(X, (2, 6, 12, 2), theirs)
    np.testing.assert_allclose(found, np.asarray(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("method", list(METHODS))
def test_a_constant_stays_one(method: str) -> None:
    half = np.full((1, 4, 1), 3, "float16")
    found = mix_op(half, factors=((1, 3),), method=method)
    assert found.dtype == tf.float16
    np.testing.assert_allclose(found.numpy(), np.full((1, 12, 1), 3), rtol=1e-3)
