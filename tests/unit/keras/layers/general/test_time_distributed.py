"""`TimeDistributed`: names, masks, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_every_timestep_and_names() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")
    layer = L.TimeDistributed(L.Dense(5), name="each")
    found = layer(x)
    assert [w.name for w in layer.weights] == ["each/kernel:0", "each/bias:0"]
    np.testing.assert_allclose(found[:, 1], layer.layer(x[:, 1]), rtol=1e-5)


def test_mask_is_passed_on() -> None:
    ids = tf.constant([[1, 2, 0]])
    embedded = L.Embedding(5, 4, mask_zero=True)(ids)
    found = L.TimeDistributed(L.Dense(2))(embedded)
    assert found._keras_mask.numpy().tolist() == [[True, True, False]]


def test_wrong_layers_and_ranks_raise() -> None:
    with pytest.raises(ValueError, match="Please initialize `TimeDistributed`"):
        L.TimeDistributed(3)
    with pytest.raises(ValueError, match="at least 3 dimensions"):
        L.TimeDistributed(L.Dense(2))(tf.zeros((2, 3)))
