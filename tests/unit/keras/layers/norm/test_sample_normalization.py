"""Layer, group and unit normalisation: masks and errors; values against Keras are in tests/parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_half_precision_is_normalised_in_float32() -> None:
    x = (np.random.default_rng(0).normal(size=(2, 512)) + 300).astype("float16")
    y = L.LayerNormalization(dtype="mixed_float16")(x)
    assert y.dtype == tf.float16
    wide = x.astype("float64")
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-3)
    np.testing.assert_allclose(y.numpy(), expected, atol=2e-3)


def test_group_normalization_leaves_masked_elements_out() -> None:
    x = np.random.default_rng(0).normal(size=(1, 4)).astype("float32")
    mask = tf.constant([[True, True, True, False]])
    y = L.GroupNormalization(1)(x, mask=mask).numpy()
    seen = x[0, :3]
    np.testing.assert_allclose(y, (x - seen.mean()) / np.sqrt(seen.var() + 1e-3), rtol=1e-5)


def test_integers_are_normalised_as_floats() -> None:
    x = tf.constant([[1, 2, 3]])
    assert L.LayerNormalization()(x).dtype == tf.float32
    np.testing.assert_allclose(L.UnitNormalization()(tf.constant([[3, 4]])).numpy(), [[0.6, 0.8]], rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: L.LayerNormalization(axis="last"), TypeError, "Expected an int or a list/tuple of ints"),
        (lambda: L.LayerNormalization(axis=2)(tf.ones((2, 3))), ValueError, "Invalid value for `axis`"),
        (lambda: L.LayerNormalization()(tf.keras.Input((None,))), ValueError, "undefined `axis` dimension"),
        (lambda: L.UnitNormalization(axis=1.5), TypeError, "expected an int or a list/tuple of ints"),
        (lambda: L.UnitNormalization(axis=4)(tf.ones((2, 3))), ValueError, "Invalid value for `axis`"),
        (
            lambda: L.GroupNormalization(5)(tf.ones((2, 3))),
            ValueError,
            "cannot be more than the number of channels",
        ),
        (lambda: L.GroupNormalization(2)(tf.ones((2, 3))), ValueError, "must be a multiple of the number"),
        (
            lambda: L.GroupNormalization(2)(tf.keras.Input((None,))),
            ValueError,
            "should have a defined dimension",
        ),
    ],
)
def test_wrong_axes_and_unknown_sizes_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
