"""Loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
V = np.array([1.0, 2.0, 3.0], np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: ops.fori_loop(0, 4, lambda i, x: x + i, 0), 6),
        (lambda: ops.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, 1.0))[1], 8),
        (lambda: ops.scan(lambda total, x: (total + x, total), 0.0, V)[1], [0, 1, 3]),
        (lambda: ops.map(lambda x: x * 2, V), V * 2),
    ],
    ids=range(4),
)
def test_functions_give_known_values(call: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6)
