"""`Attention` and `AdditiveAttention`: what they refuse, dropout."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
X = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")


def test_dropout_only_in_training() -> None:
    layer = L.Attention(dropout=0.5, seed=1)
    np.testing.assert_array_equal(layer([X, X]), layer([X, X]))
    assert (np.asarray(layer([X, X], training=True)) != np.asarray(layer([X, X], training=True))).any()


def test_wrong_inputs_and_masks_raise() -> None:
    with pytest.raises(ValueError, match="must be called on a list of inputs"):
        L.Attention()(X)
    with pytest.raises(ValueError, match="accepts inputs list of length 2 or 3"):
        L.Attention()([X])
    with pytest.raises(ValueError, match="mask must be a list, namely"):
        L.Attention()([X, X], mask=tf.ones((2, 3), tf.bool))
    with pytest.raises(ValueError, match="mask must be a list of length 2"):
        L.Attention()([X, X], mask=[None])
    with pytest.raises(ValueError, match="score_mode=a"):
        L.Attention(score_mode="a")
