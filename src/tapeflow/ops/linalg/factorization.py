"""Factorisations of matrices: Cholesky, QR, singular values, eigenvalues.

All work on the last two axes and take the others as a batch, in float32, float64 or complex
numbers. Of a matrix that must be symmetric only the lower triangle is read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import Domain
from tapeflow.ops.host_args import invalid

lax = jax.lax

WIDE = Domain(
    "a float32, float64 or complex tensor",
    (jnp.float32, jnp.float64, jnp.complexfloating),
    "Cast it first, for example with tf.cast(x, tf.float32).",
)


def check_matrix(where: str, name: str, x: jax.Array, square: bool = True) -> None:
    """Raise unless `x` is a matrix, or a stack of them, that LAPACK takes."""
    WIDE.check(where, **{name: x})
    if x.ndim < 2:
        raise invalid(
            f"{where} expected a matrix, or a stack of them, of rank 2 or more; got {name} of "
            f"shape {list(x.shape)}. Add axes with tf.expand_dims."
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise invalid(
            f"{where} expected a square matrix: Input matrix must be square; got {name} of shape "
            f"{list(x.shape)}."
        )


def conjugate_transpose(x: jax.Array) -> jax.Array:
    """The last two axes swapped, and complex numbers conjugated."""
    x = jnp.swapaxes(x, -1, -2)
    return jnp.conj(x) if jnp.issubdtype(x.dtype, jnp.complexfloating) else x


def _from_lower(x: jax.Array) -> jax.Array:
    """The symmetric matrix with the lower triangle of `x`, where its gradient then lies."""
    return jnp.tril(x) + conjugate_transpose(jnp.tril(x, -1))


def cholesky_array(x: jax.Array) -> jax.Array:
    """L with L L^T = x. The value is that of the lower triangle, the gradient is symmetric."""
    value = lax.stop_gradient(_from_lower(x))
    symmetric = (x + conjugate_transpose(x)) / 2
    joined = value + (symmetric - lax.stop_gradient(symmetric))
    return lax.linalg.cholesky(joined, symmetrize_input=False)


@op(name="Cholesky")
def _cholesky(x: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.cholesky", "input", x)
    return cholesky_array(x)


@op(name="Qr")
def _qr(x: jax.Array, *, full_matrices: bool) -> Any:
    check_matrix("tf.linalg.qr", "input", x, square=False)
    rows, columns = x.shape[-2:]
    if rows >= columns:
        return tuple(lax.linalg.qr(x, full_matrices=full_matrices))
    # The left square decides q, which makes the rest of r a product: so it has a derivative.
    q, left = lax.linalg.qr(x[..., :rows], full_matrices=False)
    return q, jnp.concatenate([left, conjugate_transpose(q) @ x[..., rows:]], -1)


@op(name="Svd")
def _svd(x: jax.Array, *, full_matrices: bool, compute_uv: bool) -> Any:
    check_matrix("tf.linalg.svd", "tensor", x, square=False)
    if not compute_uv:
        return lax.linalg.svd(x, full_matrices=False, compute_uv=False)
    full_matrices = full_matrices and x.shape[-1] != x.shape[-2]
    u, s, v = lax.linalg.svd(x, full_matrices=full_matrices, compute_uv=True)
    return s, u, conjugate_transpose(v)


@op(name="SelfAdjointEigV2")
def _eigh(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    check_matrix("tf.linalg.eigh", "tensor", x)
    vectors, values = lax.linalg.eigh(_from_lower(x), symmetrize_input=False)
    return values, vectors


@op(name="Eigvalsh")
def _eigvalsh(x: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.eigvalsh", "tensor", x)
    return lax.linalg.eigh(_from_lower(x), symmetrize_input=False)[1]


@op(name="Eig")
def _eig(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    check_matrix("tf.linalg.eig", "tensor", x)
    values, vectors = lax.linalg.eig(x, compute_left_eigenvectors=False)
    return values, vectors


class Qr(NamedTuple):
    """What `qr` returns."""

    q: Tensor
    r: Tensor


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular L with L L^T = input; NaN where the matrix is not positive definite."""
    return _cholesky(input)


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """input = q r, with orthonormal columns in q and an upper triangular r.

    With `full_matrices` q is square; then a matrix with more rows than columns has no gradient.
    """
    return Qr(*_qr(input, full_matrices=bool(full_matrices)))


def svd(
    tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values, largest first, and vectors: tensor = u diag(s) v^T.

    Args:
        tensor: a matrix or a stack of them.
        full_matrices: give all of u and v, beyond as many columns as there are values; there is no
            gradient then, unless the matrix is square.
        compute_uv: whether to give u and v at all.
        name: ignored.

    Returns:
        `(s, u, v)`, or `s` alone. v is not transposed.
    """
    return _svd(tensor, full_matrices=bool(full_matrices), compute_uv=bool(compute_uv))


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, smallest first, and eigenvectors, in columns, of a symmetric matrix."""
    return _eigh(tensor)


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of a symmetric matrix, smallest first."""
    return _eigvalsh(tensor)


def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The complex eigenvalues, in no order, and eigenvectors, in columns, of a square matrix."""
    return _eig(tensor)


def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The complex eigenvalues of a square matrix, in no order."""
    return _eig(tensor)[0]
