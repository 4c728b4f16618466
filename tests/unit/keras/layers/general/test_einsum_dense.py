"""EinsumDense: what its equation may say."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

L = tf.keras.layers


def test_shapes_with_unknown_sizes() -> None:
    layer = L.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d")
    assert tuple(layer(tf.keras.Input((None, 4))).shape) == (None, None, 5)
    assert tuple(L.EinsumDense("...x,xy->...y", 4).compute_output_shape((None, 3, 5))) == (None, 3, 4)


@pytest.mark.parametrize(
    ("equation", "shape", "axes", "text"),
    [
        ("abc,cd", (None, 5), None, "Invalid einsum equation"),
        ("...abc,cd->abd", (None, 5), None, "Invalid einsum equation"),
        ("ab,bc->ac", 5, None, "expected an input with the axes 'ab'"),
        ("abc,cd->abd", (9, 5), None, "do not match at shared dimension 'b'"),
        ("abc,cd->abe", (None, 5), None, "Dimension 'e' was specified in the output"),
        ("abc,cde->abd", (None, 5), None, "Weight dimension 'e' did not have a match"),
        ("abc,cd->abd", (None, 5), "c", "Bias dimension 'c' was requested"),
    ],
)
def test_equations_that_do_not_fit_raise(equation: str, shape: Any, axes: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        L.EinsumDense(equation, output_shape=shape, bias_axes=axes)(tf.ones((2, 3, 4)))
