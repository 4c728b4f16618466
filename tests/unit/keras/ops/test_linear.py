"""Linear algebra, compared with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops
A = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.5]], np.float32)
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], np.float32)
V = np.array([1.0, 2.0, 3.0], np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: ops.matmul(A, S), A @ S),
        (lambda: ops.matmul(S, V), S @ V),
        (lambda: ops.dot(V, V), V @ V),
        (lambda: ops.tensordot(A, A, axes=2), np.tensordot(A, A, 2)),
        (lambda: ops.einsum("ij,kj->ik", A, A), A @ A.T),
        (lambda: ops.kron(A, A), np.kron(A, A)),
        (lambda: ops.cross(V, V[::-1]), np.cross(V, V[::-1])),
        (lambda: ops.inv(S), np.linalg.inv(S)),
        (lambda: ops.solve(S, V), np.linalg.solve(S, V)),
        (lambda: ops.lstsq(A.T, V), np.linalg.lstsq(A.T, V, None)[0]),
        (lambda: ops.norm(A, ord="nuc"), np.linalg.norm(A, "nuc")),
        (lambda: ops.norm(A, ord=1), np.linalg.norm(A, 1)),
        (lambda: ops.norm(V, ord=3), np.linalg.norm(V, 3)),
        (lambda: ops.stack(ops.rfft(V)), np.stack([np.fft.rfft(V).real, np.fft.rfft(V).imag])),
    ],
    ids=range(14),
)
def test_functions_give_known_values(call: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6)
