"""Functions that make and arrange arrays, compared with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)
N = np.array([[3, 1, 2], [6, 4, 5]], np.int32)
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], np.float32)
V = np.array([1.0, 2.0, 3.0], np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: ops.arange(1, 7, 2), np.arange(1, 7, 2)),
        (lambda: ops.linspace(0, 1, 5, endpoint=False), np.linspace(0, 1, 5, endpoint=False)),
        (lambda: ops.geomspace(1, 100, 3), [1, 10, 100]),
        (lambda: ops.moveaxis(A[None], (0, 1), (2, 0)), np.moveaxis(A[None], (0, 1), (2, 0))),
        (lambda: ops.rot90(A, -1), np.rot90(A, -1)),
        (lambda: ops.tile(A, (2, 1, 1)), np.tile(A, (2, 1, 1))),
        (
            lambda: ops.pad(A, ((0, 1), (1, 0)), constant_values=3.0),
            np.pad(A, ((0, 1), (1, 0)), constant_values=3),
        ),
        (lambda: ops.tril(A, 1), np.tril(A, 1)),
        (lambda: ops.trace(S, offset=1), np.trace(S, 1)),
        (lambda: ops.concatenate([A, N], axis=None), np.concatenate([A, N], None)),
        (lambda: ops.dstack([V, V]), np.dstack([V, V])),
        (lambda: ops.array_split(V, 2)[0], [1, 2]),
        (lambda: ops.take(A, [0, -1], axis=1), A[:, [0, -1]]),
        (lambda: ops.take_along_axis(A, np.argsort(A, 0), axis=0), np.sort(A, 0)),
        (lambda: ops.slice_update(A, (0, 1), np.zeros((2, 2), np.float32)), A * [1, 0, 0]),
        (lambda: ops.scatter_update(V, [[0], [0]], [9.0, 8.0], reduction="add"), [18, 2, 3]),
        (lambda: ops.diff(V, n=2), [0]),
        (lambda: ops.unique([3, 1, 3], return_counts=True)[1], [1, 2]),
    ],
    ids=range(18),
)
def test_functions_give_known_values(call: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6)
