"""`tf.experimental.numpy` beyond its numbers, which are in tests/parity: gradients, functions, names, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

tnp = tf.experimental.numpy


def test_tapes_and_functions_go_through() -> None:
    x = tf.Variable([1.0, 4.0])

    @tf.function
    def total() -> tf.Tensor:
        return tnp.sum(tnp.sqrt(x) * 2)

    with tf.GradientTape() as tape:
        y = total()
    np.testing.assert_allclose(tape.gradient(y, x), [1, 0.5])


def test_arrays_may_be_named_and_mixed_with_tensors() -> None:
    assert int(tnp.sum(a=[1, 2])) == 3
    np.testing.assert_array_equal(tnp.array([tf.constant(1), tf.constant(2)]), [1, 2])
    assert tnp.array(1.5, dtype=tf.float32, ndmin=2).shape == (1, 1)
    assert (tnp.shape([[1, 2]]), tnp.ndim(3), tnp.size([[1, 2]]), tnp.size([[1, 2]], 1)) == ((1, 2), 0, 2, 2)
    assert tnp.isscalar(3)
    assert "concatenate" in dir(tnp)


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tnp.nothing  # noqa: B018
    with pytest.raises(TypeError, match="expected 2 arrays; got 1 arguments"):
        tnp.add(1)


def test_limits_of_types() -> None:
    assert tnp.iinfo(tnp.int32).max == 2**31 - 1
    assert tnp.finfo(tf.float32).eps == np.finfo("float32").eps
