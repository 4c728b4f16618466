"""Products and inverses of operators."""

from __future__ import annotations

import numpy as np

import tapeflow as tf

la = tf.linalg
MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]], np.float32)
FULL = la.LinearOperatorFullMatrix(MATRIX)


def test_products_and_inverses_are_of_the_simplest_kind() -> None:
    diagonal, one = la.LinearOperatorDiag([1.0, 2.0]), la.LinearOperatorIdentity(2)
    assert FULL.matmul(one) is FULL
    assert one.matmul(FULL) is FULL
    kinds = {
        la.LinearOperatorDiag: (
            diagonal @ diagonal,
            diagonal.inverse(),
            diagonal @ la.LinearOperatorScaledIdentity(2, 3.0),
        ),
        la.LinearOperatorLowerTriangular: (diagonal @ la.LinearOperatorLowerTriangular(MATRIX),),
        la.LinearOperatorZeros: (FULL @ la.LinearOperatorZeros(2),),
        la.LinearOperatorComposition: (FULL @ FULL, (FULL @ diagonal).inverse()),
        la.LinearOperatorInversion: (FULL.inverse(),),
        la.LinearOperatorAdjoint: (FULL.H,),
        la.LinearOperatorFullMatrix: (FULL.inverse().inverse(), FULL.adjoint().adjoint()),
    }
    for kind, operators in kinds.items():
        assert all(type(operator) is kind for operator in operators), kind
