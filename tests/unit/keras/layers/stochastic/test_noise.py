"""Noise layers: the moments of what they draw."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_gaussian_noise() -> None:
    y = L.GaussianNoise(0.5, seed=1)(tf.ones((200, 100)), training=True).numpy()
    assert abs(y.mean() - 1) < 0.02
    assert abs(y.std() - 0.5) < 0.02


def test_gaussian_dropout() -> None:
    y = L.GaussianDropout(0.2, seed=1)(tf.ones((200, 100)), training=True).numpy()
    assert abs(y.mean() - 1) < 0.02
    assert abs(y.std() - np.sqrt(0.25)) < 0.02


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    x = np.random.default_rng(0).normal(size=(300, 100)).astype("float32")
    y = L.AlphaDropout(0.3, seed=1)(x, training=True).numpy()
    assert abs(y.mean()) < 0.03
    assert abs(y.std() - 1) < 0.03
    floor = np.unique(np.round(y[np.isclose(y, y.min(), atol=1e-4)], 3))
    assert len(floor) == 1


def test_alpha_dropout_noise_shape() -> None:
    layer = L.AlphaDropout(0.5, noise_shape=(None, 1), seed=1)
    y = layer(tf.ones((20, 3)), training=True).numpy()
    assert (y == y[:, :1]).all()
    assert layer.get_config()["noise_shape"] == (None, 1)
    with pytest.raises(ValueError, match="AlphaDropout expected noise_shape"):
        layer(tf.ones((20,)), training=True)


def test_nothing_happens_without_training() -> None:
    x = tf.ones((2, 3))
    for layer in (L.GaussianNoise(0.5), L.GaussianDropout(0.2), L.AlphaDropout(0.3)):
        assert layer(x) is x
    for layer in (L.GaussianNoise(0), L.GaussianDropout(0), L.AlphaDropout(0)):
        assert layer(x, training=True) is x
