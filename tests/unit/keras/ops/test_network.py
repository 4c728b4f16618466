"""Layers of networks as functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: ops.multi_hot([[0, 2], [1, 1]], 3), [[1, 0, 1], [0, 1, 0]]),
        (lambda: ops.softmax(A, axis=None), np.exp(A) / np.exp(A).sum()),
        (lambda: ops.rms_normalization(A), A / np.sqrt((A**2).mean(-1, keepdims=True) + 1e-7)),
        (lambda: ops.max_pool(A[None, ..., None], 2, 1), [[[[1], [3]]]]),
        (lambda: ops.conv(A[None, ..., None], np.ones((2, 2, 1, 1), np.float32)), [[[[-0.25], [-0.25]]]]),
    ],
    ids=range(5),
)
def test_functions_give_known_values(call: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6)


def test_attention_masks_and_biases() -> None:
    x = np.arange(24, dtype=np.float32).reshape(1, 3, 2, 4) / 10
    found = ops.dot_product_attention(x, x, x, is_causal=True)
    np.testing.assert_allclose(found[:, 0], x[:, 0], rtol=1e-6)
    masked = ops.dot_product_attention(x, x, x, mask=np.tri(3, dtype=bool)[None, None])
    np.testing.assert_allclose(found, masked, rtol=1e-6)
