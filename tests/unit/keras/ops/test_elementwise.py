"""Arithmetic, element by element, compared with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)
N = np.array([[3, 1, 2], [6, 4, 5]], np.int32)
NAN = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]], np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: ops.nan_to_num(NAN, nan=7.0), np.nan_to_num(NAN, nan=7.0)),
        (lambda: ops.add(N, 1.5), N + 1.5),
        (lambda: ops.divide(N, 2), N / 2),
        (lambda: ops.floor_divide(N, 2), N // 2),
        (lambda: ops.mod(A, 2), A % 2),
        (lambda: ops.logaddexp(A, 1.0), np.logaddexp(A, 1.0)),
        (lambda: ops.heaviside(A, 0.5), np.heaviside(A, 0.5)),
        (lambda: ops.sinc(A), np.sinc(A)),
        (lambda: ops.trunc(A), np.trunc(A)),
        (lambda: ops.round(A * 1.234, 1), np.round(A * 1.234, 1)),
        (lambda: ops.isclose(A, A + 1e-7), True),
        (lambda: ops.where(A > 0, A, 0.0), np.where(A > 0, A, 0)),
        (lambda: ops.stack(ops.nonzero(A > 1)), np.stack(np.nonzero(A > 1))),
        (lambda: ops.select([A > 1, A < 0], [A, -A], default=5.0), np.select([A > 1, A < 0], [A, -A], 5)),
    ],
    ids=range(14),
)
def test_functions_give_known_values(call: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6)
