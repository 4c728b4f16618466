"""Tests for tapeflow.ops.math.fake_quantization; the numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

X = np.array([[-7.0, -1.26, -0.013, 0.0], [0.019, 0.52, 3.3, 9.0]], np.float32)
WEIGHTS = np.arange(1, 9, dtype=np.float32).reshape(2, 4)
CASES = {
    (-6.0, 6.0, 8, False): (
        [-6.02353, -1.270588, 0, 0, 0, 0.517647, 3.294118, 5.97647],
        [0, 2, 3, 4, 5, 6, 7, 0],
        (1, 8),
    ),
    (-6.0, 6.0, 8, True): ([-6, -1.275591, 0, 0, 0, 0.519685, 3.307087, 6], [0, 2, 3, 4, 5, 6, 7, 0], (1, 8)),
    (0.0, 4.0, 4, False): ([0, 0, 0, 0, 0, 0.533333, 3.2, 4], [0, 0, 0, 4, 5, 6, 7, 0], (6, 8)),
    (1.0, 4.0, 8, False): ([0, 0, 0, 0, 0.023529, 0.517647, 3, 3], [0, 0, 0, 4, 5, 6, 0, 0], (6, 15)),
    (-5.0, -1.0, 3, False): ([-4, -1.142857, 0, 0, 0, 0, 0, 0], [0, 2, 3, 4, 0, 0, 0, 0], (1, 26)),
    (-1.3, 2.9, 5, False): (
        [-1.354839, -1.219355, 0, 0, 0, 0.541935, 2.845161, 2.845161],
        [0, 2, 3, 4, 5, 6, 0, 0],
        (1, 15),
    ),
    (0.0, 0.0, 8, False): ([0] * 8, [1, 2, 3, 4, 5, 6, 7, 8], (0, 0)),
}


@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients(case: tuple[float, float, int, bool]) -> None:
    values, passed, (of_min, of_max) = CASES[case]
    x, low, high = tf.Variable(X), tf.Variable(case[0]), tf.Variable(case[1])
    with tf.GradientTape() as tape:
        y = tf.quantization.fake_quant_with_min_max_vars(x, low, high, *case[2:])
        loss = tf.reduce_sum(y * WEIGHTS)
    gradients = tape.gradient(loss, [x, low, high])
    np.testing.assert_allclose(np.ravel(y), values, atol=1e-5)
    np.testing.assert_allclose(np.ravel(gradients[0]), passed)
    assert (float(gradients[1]), float(gradients[2])) == (of_min, of_max)


def test_a_range_for_each_channel() -> None:
    x, low, high = tf.Variable(X), tf.Variable([-1.0, 0.0, -3.0, 0.0]), tf.Variable([1.0, 0.5, 3.0, 0.0])
    with tf.GradientTape() as tape:
        y = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high, 6)
        loss = tf.reduce_sum(y * WEIGHTS)
    gradients = tape.gradient(loss, [x, low, high])
    np.testing.assert_allclose(np.ravel(y), [-0.984127, 0, 0, 0, 0.031746, 0.5, 2.952381, 0], atol=1e-5)
    np.testing.assert_allclose(np.ravel(gradients[0]), [0, 0, 3, 4, 5, 0, 0, 8])
    np.testing.assert_allclose(gradients[1], [1, 2, 0, 0])
    np.testing.assert_allclose(gradients[2], [0, 6, 7, 0])


def test_a_range_that_is_fixed() -> None:
    y = tf.quantization.fake_quant_with_min_max_args(X, -2, 3, 4)
    np.testing.assert_allclose(np.ravel(y), [-2, -1.333333, 0, 0, 0, 0.666667, 3, 3], atol=1e-5)


def test_wrong_arguments_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected 2 to 16 bits; got num_bits=1"):
        tf.quantization.fake_quant_with_min_max_vars(X, 0.0, 1.0, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="a minimum and a maximum for each channel"):
        tf.quantization.fake_quant_with_min_max_vars_per_channel(X, [0.0], [1.0])
