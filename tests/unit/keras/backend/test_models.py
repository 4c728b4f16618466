"""Symbols and functions of them."""

from __future__ import annotations

import numpy as np

import tapeflow as tf
from tapeflow.keras import backend as K


def test_symbolic_tensors() -> None:
    x = tf.keras.Input((4, 3))
    assert K.int_shape(x) == (None, 4, 3)
    assert K.is_keras_tensor(x)
    assert not K.is_keras_tensor(tf.constant(1.0))
    flat = K.batch_flatten(x)
    assert K.int_shape(flat) == (None, 12)
    product = K.batch_dot(x, x, axes=2)
    assert K.int_shape(product) == (None, 4, 4)
    assert K.int_shape(K.placeholder((None, 5))) == (None, 5)
    assert K.int_shape(K.placeholder(ndim=2)) == (None, None)
    value = np.arange(24.0).reshape(2, 4, 3).astype("float32")
    both = K.function([x], [flat, K.sum(product, axis=-1)])([value])
    np.testing.assert_array_equal(both[0], value.reshape(2, 12))
    np.testing.assert_allclose(both[1], (value @ value.transpose(0, 2, 1)).sum(-1))
    assert K.function(x, flat)(value).shape == K.function([x], [flat])(value)[0].shape == (2, 12)
