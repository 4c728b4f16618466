"""Cropping."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

L = tf.keras.layers


def test_unknown_sizes_stay_unknown() -> None:
    assert tuple(L.Cropping2D(1).compute_output_shape((None, None, 5, 3))) == (None, None, 3, 3)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: L.Cropping1D((1, 2, 3)), "must be an integer, or a tuple of 2 integers"),
        (lambda: L.Cropping1D(-1), "none below 0"),
        (lambda: L.Cropping2D((1, 2, 3)), "it should have 2 elements"),
        (lambda: L.Cropping3D("1"), "it should have 3 elements"),
        (lambda: L.Cropping1D(2)(tf.ones((2, 4, 3))), "leave something of each axis"),
        (lambda: L.Cropping2D(1)(tf.ones((2, 4, 3))), "expected ndim=4"),
    ],
)
def test_wrong_croppings_raise(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
