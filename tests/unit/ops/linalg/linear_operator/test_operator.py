"""The base class of operators, and `tf.linalg`'s functions of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

la = tf.linalg
MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]], np.float32)
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


def test_functions_of_linalg_take_them() -> None:
    assert float(la.det(FULL)) == pytest.approx(5.5)
    assert float(la.trace(FULL)) == 5
    assert isinstance(la.inv(FULL), la.LinearOperator)
    np.testing.assert_allclose(la.matvec(FULL, [1.0, 0.0]), [3, 0.5])
    with pytest.raises(TypeError, match=r"tf.exp expected tensors; got the operator .* to_dense\(\)"):
        tf.exp(FULL)
    with pytest.raises(TypeError, match=r"Use operator.to_dense\(\)"):
        np.asarray(FULL)
