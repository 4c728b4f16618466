"""Refusals of NumPy's functions of several arrays; their results are in tests/parity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tapeflow as tf

tnp = tf.experimental.numpy

REFUSALS: dict[str, tuple[Callable[[], object], str]] = {
    "compress": (
        lambda: tnp.compress([[True]], [1, 2]),
        r"must be a 1-d array; got condition of shape \[1, 1\]",
    ),
    "diag_indices": (lambda: tnp.diag_indices(-1), "at least 0; got n=-1, ndim=2"),
    "ix_": (lambda: tnp.ix_([[1]]), r"arguments must be 1-d; got argument 0 of shape \[1, 1\], int64"),
    "ix_ floats": (lambda: tnp.ix_([0.5]), "integers or truth values"),
    "select": (lambda: tnp.select([[True]], []), "length equal to choicelist; got 1 and 0"),
    "flatten": (lambda: tnp.flatten([1], "X"), "got order='X'"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_wrong_arguments_raise(name: str) -> None:
    call, text = REFUSALS[name]
    with pytest.raises(ValueError, match=text):
        call()


def test_types() -> None:
    assert tnp.result_type(tf.ones([2], tf.int32), tf.float32) == tf.float64
    assert tnp.promote_types(tf.int32, np.int64) == np.int64
    assert tnp.issubdtype(tf.float32, tnp.inexact)
    assert not tnp.issubdtype(tf.int32, tnp.inexact)
    assert tnp.ndarray is tf.Tensor
    assert [tnp.complex_, tnp.string_, tnp.unicode_, tnp.object_] == [
        tf.complex128,
        np.bytes_,
        np.str_,
        np.object_,
    ]


def test_gradients_pass() -> None:
    x = tf.Variable([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tnp.select([x > 0], [x * x], 0.0)) + tf.reduce_sum(tnp.compress([True], x * 5))
    np.testing.assert_array_equal(tape.gradient(y, x), [7, 0, 6])
