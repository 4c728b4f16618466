"""Linear operators: subclasses of one's own, Variables, parts, refusals; their results are in tests/parity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

la = tf.linalg
MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]], np.float32)
WIDE = np.ones([2, 3], np.float32)
FULL = la.LinearOperatorFullMatrix(MATRIX)


def test_gradients_reach_variables_in_functions_too() -> None:
    scale = tf.Variable([2.0, 4.0])
    operator = la.LinearOperatorLowRankUpdate(la.LinearOperatorDiag(scale), np.ones([2, 1], np.float32))
    assert [v is scale for v in operator.trainable_variables] == [True]

    @tf.function
    def total(x: Any) -> Any:
        return tf.reduce_sum(operator.solvevec(x)) + operator.log_abs_determinant()

    with tf.GradientTape() as tape:
        y = total(tf.constant([1.0, 2.0]))
    exact = lambda d: np.linalg.inv(np.diag(d) + 1) @ [1, 2]  # noqa: E731
    step = np.eye(2) * 1e-4
    wanted = [
        (exact([2, 4] + s).sum() - exact([2, 4] - s).sum()) / 2e-4
        + (np.linalg.slogdet(np.diag([2, 4] + s) + 1)[1] - np.linalg.slogdet(np.diag([2, 4] - s) + 1)[1])
        / 2e-4
        for s in step
    ]
    np.testing.assert_allclose(tape.gradient(y, scale), wanted, rtol=1e-4)
    scale.assign([1.0, 1.0])
    assert float(total(tf.constant([1.0, 2.0]))) == pytest.approx(exact([1, 1]).sum() + np.log(3), rel=1e-5)


REFUSALS: dict[str, tuple[Callable[[], object], str]] = {
    "hints": (
        lambda: la.LinearOperatorFullMatrix(MATRIX, is_self_adjoint=True, is_square=False),
        "self-adjoint .* always square",
    ),
    "is_square": (
        lambda: la.LinearOperatorFullMatrix(MATRIX, is_square=False).is_square,
        "with is_square=False",
    ),
    "inner": (lambda: FULL @ la.LinearOperatorFullMatrix(WIDE.T), "inner dimensions agree; got shapes"),
    "rows": (lambda: FULL.matmul(WIDE.T), r"expected 2 rows: .*got an argument \(shape \[3, 2\], float32\)"),
    "dtype": (lambda: FULL.matmul(MATRIX.astype(np.float64)), "must have dtype float32; got"),
    "singular": (lambda: la.LinearOperatorZeros(2).solve(MATRIX), "square and may have an inverse"),
    "not square": (
        lambda: la.LinearOperatorFullMatrix(WIDE).determinant(),
        r"expected a square operator.*\(2, 3\)",
    ),
    "eigvals": (FULL.eigvals, "only self-adjoint matrices are supported"),
    "inverse": (lambda: la.LinearOperatorFullMatrix(WIDE).inverse(), "cannot take the Inverse"),
    "cholesky": (FULL.cholesky, "cannot take the Cholesky decomposition"),
    "positive": (FULL.assert_positive_definite, "not implemented for others"),
    "matrix": (
        lambda: la.LinearOperatorFullMatrix([1.0]),
        r"at least 2 dimensions; got shape \(1,\), float32",
    ),
    "triangle": (
        lambda: la.LinearOperatorLowerTriangular(MATRIX, is_square=False),
        "only square lower triangular",
    ),
    "scalar": (lambda: la.LinearOperatorDiag(1.0), "at least 1 dimension; got a scalar"),
    "diagonal": (lambda: la.LinearOperatorDiag([1.0], is_square=False), "only square diagonal operators"),
    "real": (lambda: la.LinearOperatorDiag([1.0], is_self_adjoint=False), "a real diagonal is self-adjoint"),
    "identity": (
        lambda: la.LinearOperatorIdentity(2, is_non_singular=False),
        "always self-adjoint, non-singular",
    ),
    "size": (lambda: la.LinearOperatorIdentity(-2), "must be non-negative; got num_rows=-2"),
    "shape": (
        lambda: la.LinearOperatorScaledIdentity(2, 1.0, is_square=False),
        "non-square identity is not supported",
    ),
    "zeros": (lambda: la.LinearOperatorZeros(2, 3), "2 x 3 is not square"),
    "none": (lambda: la.LinearOperatorComposition([]), "a non-empty list of operators"),
    "chain": (
        lambda: la.LinearOperatorComposition([FULL, la.LinearOperatorZeros(3)]),
        "inner dimensions agree",
    ),
    "dtypes": (
        lambda: la.LinearOperatorKronecker([FULL, la.LinearOperatorIdentity(2, dtype=tf.float64)]),
        "have the same dtype",
    ),
    "wrapped": (lambda: la.LinearOperatorAdjoint(MATRIX), "expected a LinearOperator; got"),  # pyright: ignore[reportArgumentType]
    "inversion": (lambda: la.LinearOperatorInversion(la.LinearOperatorZeros(2)), "that has an inverse"),
    "update": (
        lambda: la.LinearOperatorLowRankUpdate(FULL, np.ones([3, 1], np.float32)),
        r"\[..., size, rank\]",
    ),
    "toeplitz": (lambda: la.LinearOperatorToeplitz([1.0], [1.0, 2.0]), "col and row of one length"),
    "permutation": (
        lambda: la.LinearOperatorPermutation([0], is_square=False),
        "always non-singular and square",
    ),
    "reflection": (
        lambda: la.LinearOperatorHouseholder([1.0], is_positive_definite=True),
        "never positive definite",
    ),
    "spectrum": (lambda: la.LinearOperatorCirculant2D([1.0]), "at least 2 dimensions"),
    "real spectrum": (
        lambda: la.LinearOperatorCirculant([1.0], is_self_adjoint=False),
        "a real spectrum always",
    ),
    "blocks": (
        lambda: la.LinearOperatorBlockLowerTriangular([[FULL], [FULL]]),
        "rows of one, two, three ... blocks",
    ),
    "square blocks": (
        lambda: la.LinearOperatorBlockLowerTriangular([[la.LinearOperatorFullMatrix(WIDE)]]),
        "diagonal blocks must be square",
    ),
    "gradients": (
        lambda: la.experimental.conjugate_gradient(FULL, [1.0, 2.0]),
        "a self-adjoint, positive definite operator",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_wrong_arguments_raise(name: str) -> None:
    call, text = REFUSALS[name]
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=text):
        call()
