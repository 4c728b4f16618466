"""A layer's inputs, as users pass them and as `call` receives them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras.layers.base.inputs import as_tensors, cast_floating, mask_of

layers = tf.keras.layers


class Around(layers.Layer):
    """Calls another layer, saying nothing of training."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def call(self, x: Any) -> Any:
        return self.inner(x)


def test_inputs_are_converted_and_cast_to_the_compute_dtype() -> None:
    layer = Around(layers.Layer())
    assert layer(np.ones((2, 3))).dtype == tf.float32
    assert layer(np.ones((2, 3), "int32")).dtype == tf.int32
    assert layers.Layer(dtype="float64")(tf.ones((2,))).dtype == tf.float64
    assert layers.Layer(autocast=False)(np.ones((2,))).dtype == tf.float64
    first, second = layers.Layer()([np.ones(2), {"a": np.ones(2)}])
    assert first.dtype == second["a"].dtype == tf.float32


def test_only_what_is_numeric_becomes_a_tensor() -> None:
    given = {"array": np.ones(2), "none": None, "text": "a"}
    found = as_tensors(given)
    assert isinstance(found["array"], tf.Tensor)
    assert (found["none"], found["text"]) == (None, "a")
    assert as_tensors([1, 2.5]).shape == (2,)


def test_casting_keeps_masks_and_integers() -> None:
    x = tf.ones((2, 3))
    x._keras_mask = tf.constant([True, False])
    half, whole = cast_floating([x, tf.constant([1])], "float16")
    assert (half.dtype, whole.dtype) == (tf.float16, tf.int32)
    assert half._keras_mask is x._keras_mask
    assert cast_floating(x, None) is x
    assert cast_floating(x, "int32") is x


def test_masks_come_in_the_structure_of_the_inputs() -> None:
    x, y = tf.ones((1, 2)), tf.ones((1, 2))
    assert mask_of([x, y]) is None
    x._keras_mask = tf.constant([[True, False]])
    assert mask_of(x) is x._keras_mask
    assert mask_of({"a": x, "b": y}) == {"a": x._keras_mask, "b": None}
