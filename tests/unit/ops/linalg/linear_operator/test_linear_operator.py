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


class Shift(la.LinearOperator):
    """Each element in the place of the next, by `_matmul` alone."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(tf.float32, is_non_singular=True, name="shift")

    def _shape(self) -> Any:
        return tf.TensorShape([self.size, self.size])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tf.roll(x, -1 if adjoint else 1, axis=-2)


def test_a_subclass_needs_a_shape_and_a_product() -> None:
    shift = Shift(3)
    np.testing.assert_array_equal(shift.to_dense(), np.roll(np.eye(3), 1, 0))
    np.testing.assert_allclose(shift.solvevec([1.0, 2.0, 3.0]), [2, 3, 1], atol=1e-6)
    assert float(shift.determinant()) == pytest.approx(1)
    assert (shift.name, shift.is_square, repr(shift)) == (
        "shift",
        True,
        "<Shift shape=(3, 3), dtype=float32>",
    )
    with pytest.raises(
        NotImplementedError, match="Neither expected _matmul or _to_dense; neither is implemented"
    ):

        class Neither(la.LinearOperator):
            def _shape(self) -> Any:
                return (2, 2)

        Neither(tf.float32).matmul(MATRIX)
    with pytest.raises(NotImplementedError, match="LinearOperator._shape is not implemented"):
        la.LinearOperator(tf.float32).shape  # noqa: B018


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


def test_operators_in_blocks_take_parts() -> None:
    operator = la.LinearOperatorBlockDiag([FULL, la.LinearOperatorIdentity(3)])
    parts = operator.matmul([MATRIX, np.ones([3, 2], np.float32)])
    np.testing.assert_allclose(parts[0], MATRIX @ MATRIX, rtol=1e-5)
    assert [p.shape for p in operator.solvevec([MATRIX[0], np.ones(3, np.float32)])] == [(2,), (3,)]


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


def test_functions_of_linalg_take_them() -> None:
    assert float(la.det(FULL)) == pytest.approx(5.5)
    assert float(la.trace(FULL)) == 5
    assert isinstance(la.inv(FULL), la.LinearOperator)
    np.testing.assert_allclose(la.matvec(FULL, [1.0, 0.0]), [3, 0.5])
    with pytest.raises(TypeError, match=r"tf.exp expected tensors; got the operator .* to_dense\(\)"):
        tf.exp(FULL)
    with pytest.raises(TypeError, match=r"Use operator.to_dense\(\)"):
        np.asarray(FULL)


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
def test_refusals(name: str) -> None:
    call, text = REFUSALS[name]
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=text):
        call()
