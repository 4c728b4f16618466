"""Linear equations: agreement with numpy, singular matrices, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.linalg import solving as tf

RNG = np.random.default_rng(0)
STACK = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3)
RHS = RNG.normal(size=(2, 3, 4))
A = np.array([[4.0, 1.0], [2.0, 3.0]], np.float32)
DEFINITE = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
LINE = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], np.float32)
HEIGHTS = np.array([[1.0], [2.0], [2.0]], np.float32)
ONES = np.ones((2, 3), np.float32)


def close(result: Any, expected: Any, **tolerance: float) -> None:
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(result.numpy(), expected, **{"rtol": 1e-5, "atol": 1e-6} | tolerance)


def test_inv() -> None:
    close(tf.inv(A), [[0.3, -0.1], [-0.2, 0.4]])
    close(tf.inv(A, adjoint=True), [[0.3, -0.2], [-0.1, 0.4]])
    close(tf.inv(STACK), np.linalg.inv(STACK), rtol=1e-10)
    assert tf.inv(np.zeros((0, 0), np.float32)).shape == (0, 0)
    z = STACK[0] + 1j * STACK[1]
    close(tf.inv(z, adjoint=True), np.linalg.inv(z).conj().T, rtol=1e-10)


def test_solve() -> None:
    close(tf.solve(A, [[1.0], [2.0]]), [[0.1], [0.6]])
    close(tf.solve(A, [[1.0], [2.0]], adjoint=True), [[-0.1], [0.7]])
    close(tf.solve(STACK, RHS), np.linalg.solve(STACK, RHS), rtol=1e-10)


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("name", ["inv", "solve"])
def test_a_singular_matrix(name: str, pending: bool) -> None:
    x: Any = constant([[1.0, 2.0], [2.0, 4.0]])
    if pending:
        x = x * Variable(1.0)
    call = {"inv": lambda: tf.inv(x), "solve": lambda: tf.solve(x, [[1.0], [1.0]])}[name]
    with pytest.raises(errors.InvalidArgumentError, match="Input matrix is not invertible"):
        call().numpy()


def test_triangular_solve() -> None:
    rhs = np.array([[1.0], [2.0]], np.float32)
    close(tf.triangular_solve(A, rhs), [[0.25], [0.5]])
    close(tf.triangular_solve(A, rhs, lower=False), [[1 / 12], [2 / 3]])
    close(tf.triangular_solve(A, rhs, adjoint=True), [[-1 / 12], [2 / 3]])
    assert tf.triangular_solve(np.stack([A, A]), rhs).shape == (2, 2, 1)
    assert np.isinf(tf.triangular_solve(np.zeros((1, 1), np.float32), [[1.0]]).numpy()).all()


def test_cholesky_solve() -> None:
    factor = np.linalg.cholesky(DEFINITE)
    close(tf.cholesky_solve(factor, [[1.0], [2.0]]), [[1 / 11], [7 / 11]])


def test_determinants() -> None:
    close(tf.det(A), 10)
    close(tf.det(np.zeros((2, 2), np.float32)), 0)
    close(tf.det(np.zeros((0, 0), np.float32)), 1)
    close(tf.det(STACK), np.linalg.det(STACK), rtol=1e-10)
    close(tf.logdet(DEFINITE), 2.397895)
    assert np.isnan(tf.logdet([[-1.0, 0.0], [0.0, 1.0]]).numpy())
    found = tf.slogdet([[-1.0, 0.0], [0.0, 2.0]])
    close(found.sign, -1)
    close(found.log_abs_determinant, 0.6931472)
    sign, size = tf.slogdet(np.zeros((2, 2), np.float32))
    assert (sign.numpy(), size.numpy()) == (0, -np.inf)


def test_lstsq() -> None:
    close(tf.lstsq(LINE, HEIGHTS), [[2 / 3], [0.5]], rtol=1e-4)
    close(tf.lstsq(LINE, HEIGHTS, l2_regularizer=0.5), [[0.440678], [0.576271]], rtol=1e-4)
    close(tf.lstsq(LINE, HEIGHTS, fast=False), [[2 / 3], [0.5]])
    close(tf.lstsq(np.ones((3, 2), np.float32), HEIGHTS, fast=False), [[5 / 6], [5 / 6]])
    wide, rhs = np.array([[1.0, 1.0, 3.0], [1.0, 2.0, 0.0]]), np.array([[1.0], [2.0]])
    close(tf.lstsq(wide, rhs), [[0.391304], [0.804348], [-0.065217]])
    close(tf.lstsq(wide, rhs, l2_regularizer=0.5), [[0.359447], [0.728111], [-0.02765]])
    assert tf.lstsq(RHS, STACK).shape == (2, 4, 3)


def test_pinv_and_matrix_rank() -> None:
    close(tf.pinv(LINE), np.linalg.pinv(LINE), rtol=1e-4, atol=1e-5)
    close(tf.pinv([[1.0, 0.0], [0.0, 1e-3]], rcond=1e-2), [[1, 0], [0, 0]])
    rank = tf.matrix_rank([[1.0, 2.0], [2.0, 4.0]])
    assert (rank.numpy(), rank.dtype.name) == (1, "int32")
    close(tf.matrix_rank(STACK), [3, 3])
    assert tf.matrix_rank([[1.0, 0.0], [0.0, 1e-3]], tol=1e-2).numpy() == 1


def test_expm() -> None:
    close(tf.expm(A), [[101.40642, 47.00868], [94.01736, 54.39774]], rtol=2e-5)
    close(tf.expm(np.zeros((2, 1, 2, 2), np.float32)), np.broadcast_to(np.eye(2), (2, 1, 2, 2)))
    assert tf.expm(np.zeros((0, 0), np.float32)).shape == (0, 0)


@pytest.mark.parametrize("function", [tf.inv, tf.det, tf.slogdet, tf.logdet, tf.expm])
def test_square_matrices_are_expected(function: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Input matrix must be square; got"):
        function(ONES)
    with pytest.raises(errors.InvalidArgumentError, match="expected a matrix, or a stack of them"):
        function(ONES[0])


@pytest.mark.parametrize("function", [tf.solve, tf.triangular_solve, tf.cholesky_solve])
def test_square_matrices_are_expected_on_the_left(function: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Input matrix must be square; got"):
        function(ONES, np.ones((2, 1), np.float32))


@pytest.mark.parametrize("function", [tf.inv, tf.det, tf.slogdet, tf.logdet])
def test_floats_are_expected(function: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a float32, float64 or complex"):
        function(np.ones((2, 2), np.int32))


@pytest.mark.parametrize("rhs", [np.ones((3, 1), np.float32), np.ones(2, np.float32)], ids=["rows", "rank"])
def test_right_hand_sides(rhs: np.ndarray) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Input matrix and rhs are incompatible"):
        tf.solve(A, rhs)
    for function in (tf.triangular_solve, tf.cholesky_solve, tf.lstsq):
        with pytest.raises(errors.InvalidArgumentError, match=r"In\[0\] mismatch In\[1\]"):
            function(A, rhs)
    with pytest.raises(errors.InvalidArgumentError, match=r"In\[0\] mismatch In\[1\]"):
        tf.lstsq(A, rhs, fast=False)


def test_solve_does_not_broadcast() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Input matrix and rhs are incompatible"):
        tf.solve(np.stack([A, A]), np.ones((2, 1), np.float32))


def test_dtypes_must_agree() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Lstsq"):
        tf.lstsq(constant(LINE), constant(HEIGHTS, "float64"))


@pytest.mark.parametrize("function", [tf.pinv, tf.matrix_rank])
def test_pinv_and_matrix_rank_refuse(function: Any) -> None:
    with pytest.raises(TypeError, match="expected a float tensor; got a"):
        function(np.ones((2, 2), np.int32))
    with pytest.raises(ValueError, match="Input `a` must have at least 2 dimensions"):
        function([1.0])
    with pytest.raises(errors.InvalidArgumentError, match="expected a float32, float64 or complex"):
        function(constant(np.ones((2, 2)), "float16"))


def test_expm_refuses_other_dtypes_with_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"tf.linalg.expm expected a float32, float64 or complex"):
        tf.expm(np.ones((2, 2), np.int32))
