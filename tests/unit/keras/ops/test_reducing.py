"""Functions that reduce axes, compared with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)
N = np.array([[3, 1, 2], [6, 4, 5]], np.int32)
V = np.array([1.0, 2.0, 3.0], np.float32)
NAN = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]], np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: ops.mean(A, axis=(0, 1)), A.mean()),
        (lambda: ops.mean(N), N.mean()),
        (lambda: ops.std(A, axis=1, keepdims=True), A.std(1, keepdims=True)),
        (lambda: ops.sum(A > 0), 4),
        (lambda: ops.max(A > 0, axis=1), [True, True]),
        (lambda: ops.quantile(A, [0.1, 0.9], axis=1), np.quantile(A, [0.1, 0.9], axis=1)),
        (lambda: ops.median(A, axis=0, keepdims=True), np.median(A, 0, keepdims=True)),
        (lambda: ops.average(A, axis=1, weights=V), np.average(A, 1, V)),
        (lambda: ops.argmax(A), 2),
        (lambda: ops.cumsum(A), A.cumsum()),
        (lambda: ops.nanmean(NAN, axis=0), np.nanmean(NAN, 0)),
        (lambda: ops.nanstd(NAN), np.nanstd(NAN)),
        (lambda: ops.digitize(A, [-1.0, 0.0, 1.0]), np.digitize(A, [-1, 0, 1])),
        (lambda: ops.histogram(V, 2)[0], [1, 2]),
        (lambda: ops.isin(N, [1, 4], invert=True), np.isin(N, [1, 4], invert=True)),
    ],
    ids=range(15),
)
def test_functions_give_known_values(call: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6)
