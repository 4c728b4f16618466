"""`RandomFourierFeatures`: the kernel it approaches, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_fourier_features_approach_a_gaussian_kernel() -> None:
    tf.keras.utils.set_random_seed(3)
    layer = L.experimental.RandomFourierFeatures(20000, scale=1.5)
    x = np.random.default_rng(1).normal(size=(4, 3)).astype("float32")
    features = layer(x).numpy()
    distances = ((x[:, None] - x[None]) ** 2).sum(-1)
    np.testing.assert_allclose(2 * features @ features.T / 20000, np.exp(-distances / 4.5), atol=0.05)
    assert L.deserialize(L.serialize(layer)).scale == 1.5


def test_fourier_features_refusals() -> None:
    made = L.experimental.RandomFourierFeatures
    with pytest.raises(ValueError, match="`output_dim` should be a positive integer"):
        made(0)
    with pytest.raises(ValueError, match="Unsupported `kernel_initializer`: cubic"):
        made(3, "cubic")
    with pytest.raises(ValueError, match="`scale` should be a positive float"):
        made(3, scale=-1.0)
    with pytest.raises(ValueError, match="rank of the input tensor should be 2"):
        made(3)(tf.zeros((1, 2, 3)))
    with pytest.raises(ValueError, match="last dimension of the input tensor should be defined"):
        made(3)(tf.keras.Input((None,)))
