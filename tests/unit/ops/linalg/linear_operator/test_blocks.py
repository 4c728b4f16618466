"""Operators in blocks."""

from __future__ import annotations

import numpy as np

import tapeflow as tf

la = tf.linalg
MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]], np.float32)
FULL = la.LinearOperatorFullMatrix(MATRIX)


def test_operators_in_blocks_take_parts() -> None:
    operator = la.LinearOperatorBlockDiag([FULL, la.LinearOperatorIdentity(3)])
    parts = operator.matmul([MATRIX, np.ones([3, 2], np.float32)])
    np.testing.assert_allclose(parts[0], MATRIX @ MATRIX, rtol=1e-5)
    assert [p.shape for p in operator.solvevec([MATRIX[0], np.ones(3, np.float32)])] == [(2,), (3,)]
