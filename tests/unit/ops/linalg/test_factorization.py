"""Factorisations: that the factors multiply to the matrix, their shapes, and the refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values.convert import constant
from tapeflow.ops.linalg import factorization as tf

RNG = np.random.default_rng(0)
TALL = RNG.normal(size=(4, 5, 3))
SQUARE = RNG.normal(size=(3, 3))
DEFINITE = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
ALL = [tf.cholesky, tf.qr, tf.svd, tf.eigh, tf.eigvalsh, tf.eig, tf.eigvals]
OF_SQUARES = [f for f in ALL if f not in (tf.qr, tf.svd)]


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2).conj()


def test_cholesky() -> None:
    factor = tf.cholesky(DEFINITE).numpy()
    assert factor.dtype == np.float32
    np.testing.assert_allclose(factor, [[2, 0], [0.5, 1.658312]], rtol=1e-6)
    # Only the lower triangle is read.
    np.testing.assert_allclose(tf.cholesky([[4.0, 99.0], [1.0, 3.0]]).numpy(), factor)
    stack = TALL @ adjoint(TALL) + np.eye(5)
    found = tf.cholesky(stack).numpy()
    np.testing.assert_allclose(found @ adjoint(found), stack)


def test_cholesky_of_an_indefinite_matrix_is_nan() -> None:
    assert np.isnan(tf.cholesky([[-1.0, 0.0], [0.0, 1.0]]).numpy()[0, 0])


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (3, 3), (4, 5, 3), (2, 3, 5)], ids=repr)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("is_complex", [False, True])
def test_qr_and_svd(shape: tuple[int, ...], full: bool, is_complex: bool) -> None:
    x = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if is_complex else 0)
    *_, rows, columns = shape
    small = min(rows, columns)
    q, r = (t.numpy() for t in tf.qr(x, full_matrices=full))
    assert q.shape[-1] == (rows if full else small)
    np.testing.assert_allclose(q @ r, x, atol=1e-12)
    np.testing.assert_allclose(
        adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], *[q.shape[-1]] * 2)), atol=1e-12
    )
    s, u, v = (t.numpy() for t in tf.svd(x, full_matrices=full))
    assert u.shape[-2:] == (rows, rows if full else small)
    assert v.shape[-2:] == (columns, columns if full else small)
    np.testing.assert_allclose((u[..., :small] * s[..., None, :]) @ adjoint(v[..., :small]), x, atol=1e-12)
    np.testing.assert_allclose(tf.svd(x, compute_uv=False).numpy(), s)
    assert (np.diff(s) <= 0).all()


def test_qr_result_has_names() -> None:
    result = tf.qr(SQUARE)
    assert result.q is result[0]
    assert result.r is result[1]


def test_svd_of_nothing() -> None:
    assert [tuple(t.shape) for t in tf.svd(np.zeros((0, 2), np.float32))] == [(0,), (0, 0), (2, 0)]


def test_eigh() -> None:
    symmetric = SQUARE + SQUARE.T
    values, vectors = (t.numpy() for t in tf.eigh(np.tril(symmetric) + np.triu(np.full((3, 3), 9.0), 1)))
    np.testing.assert_allclose(symmetric @ vectors, vectors * values, atol=1e-12)
    assert (np.diff(values) >= 0).all()
    np.testing.assert_allclose(tf.eigvalsh(symmetric).numpy(), values)


def test_eig() -> None:
    values, vectors = (t.numpy() for t in tf.eig(SQUARE.astype(np.float32)))
    assert values.dtype == vectors.dtype == np.complex64
    np.testing.assert_allclose(SQUARE @ vectors, vectors * values, atol=1e-5)
    np.testing.assert_allclose(np.sort(tf.eigvals(SQUARE).numpy()), np.sort(values), atol=1e-5)


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("dtype", ["int32", "float16", "bfloat16"])
def test_refuses_other_dtypes(function: Any, dtype: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a float32, float64 or complex"):
        function(constant(np.ones((2, 2)), dtype))


@pytest.mark.parametrize("function", ALL)
def test_refuses_vectors(function: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a matrix, or a stack of them"):
        function([1.0, 2.0])


@pytest.mark.parametrize("function", OF_SQUARES)
def test_refuses_matrices_that_are_not_square(function: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Input matrix must be square; got"):
        function(np.ones((2, 3), np.float32))


def test_full_svd_of_an_oblong_matrix_has_no_gradient() -> None:
    x = constant(TALL[0])
    with GradientTape() as tape:
        tape.watch(x)
        u = tf.svd(x, full_matrices=True)[1]
    with pytest.raises(NotImplementedError, match="not implemented for full matrices"):
        tape.gradient(u, x).numpy()
