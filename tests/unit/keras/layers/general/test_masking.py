"""Masking."""

from __future__ import annotations

import numpy as np

import tapeflow as tf

L = tf.keras.layers


def test_masks_steps_of_the_value_and_sets_them_to_zero() -> None:
    x = tf.constant([[[1.0, 7.0], [7.0, 7.0], [0.0, 0.0]]])
    y = L.Masking(7.0)(x)
    np.testing.assert_array_equal(y.numpy(), [[[1, 7], [0, 0], [0, 0]]])
    np.testing.assert_array_equal(y._keras_mask.numpy(), [[True, False, True]])


def test_the_mask_passes_layers_that_support_it_and_ends_at_those_that_do_not() -> None:
    y = L.Masking()(tf.constant([[[1.0], [0.0]]]))
    assert L.Dropout(0.5)(y)._keras_mask is not None
    assert L.Activation("tanh")(y)._keras_mask is not None
    assert L.BatchNormalization()(y)._keras_mask is not None
    assert getattr(L.Flatten()(y), "_keras_mask", None) is None
