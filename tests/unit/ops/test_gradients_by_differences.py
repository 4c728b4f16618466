"""Gradients of ops with iterations or formulas of their own: the derivative along a direction, against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def gradient_along(
    function: Callable[[Any], Any], x: np.ndarray, direction: np.ndarray
) -> tuple[float, float]:
    """The derivative by the tape and by a difference."""
    with tf.GradientTape() as tape:
        point = tf.constant(x)
        tape.watch(point)
        total = tf.reduce_sum(function(point) * np.cos(np.arange(1.0)))
    step = 1e-6
    ends = [float(tf.reduce_sum(function(tf.constant(x + s * direction)))) for s in (step, -step)]
    return float(np.sum(tape.gradient(total, point).numpy() * direction)), (ends[0] - ends[1]) / (2 * step)


NUMBERS = np.array([0.4, 1.7, 2.6, 9.0])


MATRIX = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.1, 0.2, 1.2]])


GRADIENTS: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    **{
        f"bessel_{n}": (getattr(tf.math.special, f"bessel_{n}"), NUMBERS)
        for n in ("j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e")
    },
    "isotonic_regression": (lambda x: tf.nn.isotonic_regression(x)[0] ** 2, np.array([3.0, 1.0, 2.5, 0.5])),
    "banded_triangular_solve": (lambda x: tf.linalg.banded_triangular_solve(x, MATRIX), MATRIX[:2]),
    "eigh_tridiagonal": (
        lambda x: tf.linalg.eigh_tridiagonal(x, tf.constant([0.3, 0.2], tf.float64)) ** 2,
        MATRIX[0],
    ),
    "fractional_avg_pool": (
        lambda x: tf.nn.fractional_avg_pool(x, 2.0).output ** 2,
        np.arange(16.0).reshape(1, 4, 4, 1) / 10,
    ),
    "depthwise backprop": (
        lambda x: (
            tf.nn.depthwise_conv2d_backprop_filter(
                x, [2, 2, 1, 1], tf.ones([1, 3, 3, 1], tf.float64), [1, 1, 1, 1], "VALID"
            )
            ** 2
        ),
        np.arange(16.0).reshape(1, 4, 4, 1) / 10,
    ),
}


SLOW = (
    "fractional_avg_pool",
    "isotonic_regression",
    *[f"bessel_{n}" for n in ("j0", "y0", "k0", "k1", "k1e")],
)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in GRADIENTS])
def test_gradients_agree_with_differences(name: str) -> None:
    function, x = GRADIENTS[name]
    direction = np.sin(np.arange(1.0, x.size + 1)).reshape(x.shape)
    found, wanted = gradient_along(function, x, direction)
    assert found == pytest.approx(wanted, rel=1e-5, abs=1e-7)
