"""Losses of symbolic tensors, as `add_loss` on a functional model takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import losses


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda a, b: losses.mse(a, b), (None,)),
        (lambda a, b: losses.categorical_crossentropy(a, b, label_smoothing=0.1), (None,)),
        (lambda a, b: losses.MeanAbsoluteError()(a, b), ()),
        (lambda a, b: losses.BinaryCrossentropy(reduction="none")(a, b, sample_weight=2.0), (None,)),
    ],
    ids=["function", "options", "class", "weighted"],
)
def test_shape_and_value(make: Any, shape: Any) -> None:
    a, b = tf.keras.Input((3,)), tf.keras.Input((3,))
    symbol = make(a, b)
    assert tuple(symbol.shape) == shape
    values = [np.full((2, 3), v, np.float32) for v in (1.0, 0.5)]
    model = tf.keras.Model([a, b], symbol)
    np.testing.assert_allclose(model([tf.constant(v) for v in values]), make(*values), rtol=1e-6)


def test_ranks_are_lined_up() -> None:
    column, vector = tf.keras.Input((1,)), tf.keras.Input(())
    assert tuple(losses.MeanSquaredError(reduction="none")(vector, column).shape) == ()
