"""Dtypes: which one functions give for arrays, numbers and both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)
N = np.array([[3, 1, 2], [6, 4, 5]], np.int32)


@pytest.mark.parametrize(
    ("call", "dtype"),
    [
        (lambda: ops.array(1), "int32"),
        (lambda: ops.array([1.0]), "float32"),
        (lambda: ops.add(N, 1.5), "float32"),
        (lambda: ops.add(A, 1), "float32"),
        (lambda: ops.add(tf.constant(1, tf.int64), A), "float32"),
        (lambda: ops.mean(N), "float32"),
        (lambda: ops.argmax(A), "int32"),
        (lambda: ops.sqrt(N), "float32"),
        (lambda: ops.relu(N), "int32"),
        (lambda: ops.shape(A)[0], "int"),
    ],
    ids=range(10),
)
def test_functions_give_known_dtypes(call: Any, dtype: str) -> None:
    found = call()
    assert (found.dtype.name if tf.is_tensor(found) else type(found).__name__) == dtype
