"""Linear equations: inverses, determinants, `solve` and its kin, least squares, `expm`.

All work on the last two axes and take the others as a batch. A matrix without an inverse is an
error for `inv` and `solve`, as in TensorFlow.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, same_dtype
from tapeflow.ops.linalg.factorization import WIDE, check_matrix, cholesky_array, conjugate_transpose

lax = jax.lax


def _is_singular(
    xp: ModuleType, matrix: jax.Array | np.ndarray, *others: Any, **statics: Any
) -> jax.Array | np.ndarray:
    """A run-time check: whether elimination meets a pivot of exactly zero."""
    if matrix.size == 0:
        return xp.zeros((3,), xp.int64)
    if xp is np:
        found = np.linalg.slogdet(matrix)[0] == 0
    else:  # the factorisation that the op itself makes, so XLA computes it once
        factors, _, _ = lax.linalg.lu(matrix)
        found = jnp.diagonal(factors, 0, -2, -1) == 0
    bad = xp.any(found).astype(xp.int64)
    return xp.stack([bad, xp.zeros_like(bad), xp.zeros_like(bad)])


_is_singular.arg = 0  # type: ignore[attr-defined]  # the input the host must know to check at once

_NO_INVERSE = (
    "{op} expected a matrix with an inverse: Input matrix is not invertible. Use tf.linalg.pinv, "
    "or add a small multiple of tf.eye."
)


@op(name="MatrixInverse", check=_is_singular, check_text=_NO_INVERSE)
def _inv(x: jax.Array, *, adjoint: bool) -> jax.Array:
    check_matrix("tf.linalg.inv", "input", x)
    if x.size == 0:
        return x
    inverse = jnp.linalg.inv(x)
    return conjugate_transpose(inverse) if adjoint else inverse


@op(name="MatrixSolve", check=_is_singular, check_text=_NO_INVERSE)
def _solve(matrix: jax.Array, rhs: jax.Array, *, adjoint: bool) -> jax.Array:
    check_matrix("tf.linalg.solve", "matrix", matrix)
    if matrix.shape[:-1] != rhs.shape[:-1]:
        raise invalid(
            "tf.linalg.solve expected a right-hand side with as many rows as the matrix, and the "
            "same batch: Input matrix and rhs are incompatible; got matrix of shape "
            f"{list(matrix.shape)} and rhs of shape {list(rhs.shape)}. A vector needs an axis "
            "more: tf.expand_dims(rhs, -1)."
        )
    return jnp.linalg.solve(conjugate_transpose(matrix) if adjoint else matrix, rhs)


@op(name="MatrixTriangularSolve")
def _triangular_solve(matrix: jax.Array, rhs: jax.Array, *, lower: bool, adjoint: bool) -> jax.Array:
    check_matrix("tf.linalg.triangular_solve", "matrix", matrix)
    _check_rows("tf.linalg.triangular_solve", matrix, rhs)
    return _solve_triangle(matrix, rhs, lower, adjoint)


def _check_rows(where: str, matrix: jax.Array, rhs: jax.Array) -> None:
    if rhs.ndim < 2 or matrix.shape[-2] != rhs.shape[-2]:
        raise invalid(
            f"{where} expected a right-hand side of rank 2 or more with as many rows as the "
            f"matrix; got matrix of shape {list(matrix.shape)} and rhs of shape {list(rhs.shape)}: "
            "In[0] mismatch In[1]. A vector needs an axis more: tf.expand_dims(rhs, -1)."
        )


def _solve_triangle(matrix: jax.Array, rhs: jax.Array, lower: bool, adjoint: bool) -> jax.Array:
    batch = jnp.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    return lax.linalg.triangular_solve(
        jnp.broadcast_to(matrix, batch + matrix.shape[-2:]),
        jnp.broadcast_to(rhs, batch + rhs.shape[-2:]),
        left_side=True,
        lower=lower,
        transpose_a=adjoint,
        conjugate_a=adjoint,
    )


def _solve_factored(chol: jax.Array, rhs: jax.Array) -> jax.Array:
    return _solve_triangle(chol, _solve_triangle(chol, rhs, True, False), True, True)


@op(name="CholeskySolve")
def _cholesky_solve(chol: jax.Array, rhs: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.cholesky_solve", "chol", chol)
    _check_rows("tf.linalg.cholesky_solve", chol, rhs)
    return _solve_factored(chol, rhs)


@op(name="MatrixDeterminant")
def _det(x: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.det", "input", x)
    return jnp.linalg.det(x)


@op(name="LogMatrixDeterminant")
def _slogdet(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    check_matrix("tf.linalg.slogdet", "input", x)
    return tuple(jnp.linalg.slogdet(x))


@op(name="LogDet")
def _logdet(x: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.logdet", "matrix", x)
    diagonal = jnp.diagonal(cholesky_array(x), 0, -2, -1)
    return 2 * jnp.sum(jnp.log(jnp.real(diagonal)), -1)


@op(name="Lstsq")
def _lstsq(matrix: jax.Array, rhs: jax.Array, regularizer: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.lstsq", "matrix", matrix, square=False)
    _check_rows("tf.linalg.lstsq", matrix, rhs)
    adjoint = conjugate_transpose(matrix)
    rows, columns = matrix.shape[-2:]
    gram = adjoint @ matrix if rows >= columns else matrix @ adjoint
    gram += jnp.real(regularizer) * jnp.eye(min(rows, columns), dtype=matrix.dtype)
    factor = lax.linalg.cholesky(gram)
    if rows >= columns:
        return _solve_factored(factor, adjoint @ rhs)
    return adjoint @ _solve_factored(factor, rhs)


@op(name="LstsqByPseudoInverse")
def _lstsq_slow(matrix: jax.Array, rhs: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.lstsq", "matrix", matrix, square=False)
    _check_rows("tf.linalg.lstsq", matrix, rhs)
    return _pseudo_inverse(matrix, _default_rcond(matrix)) @ rhs


def _default_rcond(x: jax.Array) -> float:
    return 10 * max(x.shape[-2:]) * float(jnp.finfo(x.dtype).eps)


def _pseudo_inverse(x: jax.Array, rcond: Any) -> jax.Array:
    u, s, v = lax.linalg.svd(x, full_matrices=False, compute_uv=True)
    least = jnp.asarray(rcond, s.dtype)[..., None] * jnp.max(s, -1, keepdims=True, initial=0)
    # A 1 instead of what is left out, so that no division by zero reaches the gradient.
    inverse = jnp.where(s > least, 1 / jnp.where(s > least, s, 1), 0).astype(x.dtype)
    return (conjugate_transpose(v) * inverse[..., None, :]) @ conjugate_transpose(u)


@op(name="PseudoInverse")
def _pinv(x: jax.Array, rcond: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.pinv", "a", x, square=False)
    return _pseudo_inverse(x, jnp.real(rcond))


@op(name="MatrixRank", differentiable=False)
def _matrix_rank(x: jax.Array, tol: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.matrix_rank", "a", x, square=False)
    s = lax.linalg.svd(x, full_matrices=False, compute_uv=False)
    return jnp.sum(s > jnp.real(tol)[..., None], -1, dtype=jnp.int32)


@op(name="MatrixRankByDefault", differentiable=False)
def _matrix_rank_by_default(x: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.matrix_rank", "a", x, square=False)
    s = lax.linalg.svd(x, full_matrices=False, compute_uv=False)
    scale = max(x.shape[-2:]) * float(jnp.finfo(x.dtype).eps)
    least = scale * jnp.max(s, -1, keepdims=True, initial=0)
    return jnp.sum(s > least, -1, dtype=jnp.int32)


@op(name="MatrixExponential")
def _expm(x: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.expm", "input", x)
    return jax.scipy.linalg.expm(x) if x.size else x


class LogMatrixDeterminant(NamedTuple):
    """What `slogdet` returns."""

    sign: Tensor
    log_abs_determinant: Tensor


def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse, or with `adjoint` its conjugate transpose.

    Raises:
        InvalidArgumentError: the matrix has no inverse.
    """
    return _inv(input, adjoint=bool(adjoint))


def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """x with matrix x = rhs, where rhs is a matrix of the same batch; of more use than `inv`.

    Raises:
        InvalidArgumentError: the matrix has no inverse.
    """
    return _solve(matrix, rhs, adjoint=bool(adjoint))


def triangular_solve(
    matrix: Any, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """x with matrix x = rhs, reading only one triangle of the matrix; batches broadcast."""
    return _triangular_solve(matrix, rhs, lower=bool(lower), adjoint=bool(adjoint))


def cholesky_solve(chol: Any, rhs: TensorLike, name: str | None = None) -> Tensor:
    """x with A x = rhs, given `chol = tf.linalg.cholesky(A)`."""
    return _cholesky_solve(chol, rhs)


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant; its gradient is right for singular matrices too."""
    return _det(input)


def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant and the logarithm of its magnitude, which cannot overflow."""
    return LogMatrixDeterminant(*_slogdet(input))


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of a positive definite matrix; NaN for others."""
    return _logdet(matrix)


def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """The smallest x that minimises |matrix x - rhs|^2 + l2_regularizer |x|^2.

    Args:
        matrix: a matrix or a stack of them, of full rank if `fast`.
        rhs: a matrix with as many rows.
        l2_regularizer: a weight of at least 0; ignored unless `fast`.
        fast: solve the normal equations, which squares the condition number. Otherwise use the
            singular values, which is slower and takes matrices of any rank.
        name: ignored.
    """
    left, right = same_dtype("Lstsq", matrix, rhs)
    return _lstsq(left, right, l2_regularizer) if fast else _lstsq_slow(left, right)


def _floating_matrix(where: str, value: TensorLike) -> Tensor:
    tensor = convert_to_tensor(value)
    if not tensor.spec.dtype.is_floating:
        raise TypeError(f"{where} expected a float tensor; got a {describe(tensor)}. Use tf.cast.")
    if len(tensor.spec.shape) < 2:
        raise ValueError(
            f"{where} expected a matrix: Input `a` must have at least 2 dimensions; got a {describe(tensor)}."
        )
    return tensor


def pinv(
    a: TensorLike, rcond: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The pseudo-inverse: the inverse on the singular values above rcond times the largest.

    `rcond` is 10 * max(rows, columns) * eps by default.
    """
    tensor = _floating_matrix("tf.linalg.pinv", a)
    if rcond is None:
        rcond = 10 * max(tensor.spec.shape[-2:]) * float(np.finfo(tensor.spec.np_dtype).eps)
    return _pinv(tensor, rcond)


def matrix_rank(
    a: TensorLike, tol: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The number of singular values above `tol`, by default max(rows, columns) * eps * the largest."""
    tensor = _floating_matrix("tf.linalg.matrix_rank", a)
    return _matrix_rank_by_default(tensor) if tol is None else _matrix_rank(tensor, tol)


def expm(input: jax.Array | np.ndarray, name: str | None = None) -> Tensor:
    """The exponential of a square matrix, by scaling and squaring; not element by element."""
    tensor = convert_to_tensor(input)
    if tensor.spec.np_dtype not in WIDE:
        raise ValueError(f"tf.linalg.expm expected {WIDE.rule}; got input {describe(tensor)}. {WIDE.advice}")
    return _expm(tensor)
