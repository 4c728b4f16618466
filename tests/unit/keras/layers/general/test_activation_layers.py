"""Activation layers: masks, corners and errors; the values are compared with Keras in tests/parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_softmax_leaves_masked_positions_out() -> None:
    x, mask = tf.constant([[1.0, 2.0, 3.0]]), tf.constant([[True, False, True]])
    expected = np.exp([1, -np.inf, 3]) / (np.exp(1) + np.exp(3))
    for robust in (False, True):
        np.testing.assert_allclose(
            L.Softmax(robust_masking=robust)(x, mask=mask).numpy(), [expected], rtol=1e-6
        )
    y = L.Softmax(dtype="mixed_float16")(x, mask=mask)
    np.testing.assert_allclose(y.numpy(), [expected], atol=1e-3)


def test_leaky_relu_takes_both_names() -> None:
    assert L.LeakyReLU(negative_slope=0.2).alpha == 0.2
    assert L.LeakyReLU(alpha=0.1).negative_slope == 0.1
    assert L.LeakyReLU().alpha == 0.3


def test_a_layer_as_activation() -> None:
    x = tf.constant([[-1.0, 2.0]])
    dense = L.Dense(2, activation=L.LeakyReLU(0.5), kernel_initializer="identity")
    np.testing.assert_allclose(dense(x).numpy(), [[-0.5, 2.0]])


def test_prelu_slopes_are_learned() -> None:
    layer = L.PReLU(alpha_initializer="ones")
    x = tf.constant([[-2.0, 3.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(x))
    np.testing.assert_allclose(tape.gradient(y, layer.alpha).numpy(), [-2.0, 0.0])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: L.ReLU(max_value=-1), "max_value of a ReLU layer cannot be a negative"),
        (lambda: L.ReLU(negative_slope=None), "negative_slope of a ReLU layer cannot be a negative"),
        (lambda: L.ReLU(threshold=-1), "threshold of a ReLU layer cannot be a negative"),
        (lambda: L.LeakyReLU(None), "alpha value of a Leaky ReLU layer cannot be None"),
        (lambda: L.ELU(None), "Alpha of an ELU layer cannot be None"),
        (lambda: L.ThresholdedReLU(None), "Theta of a Thresholded ReLU layer cannot be None"),
        (lambda: L.ThresholdedReLU(-1), "should be >=0"),
        (lambda: L.Activation("rely"), "Did you mean 'relu'"),
    ],
)
def test_wrong_slopes_and_unknown_names_raise(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
