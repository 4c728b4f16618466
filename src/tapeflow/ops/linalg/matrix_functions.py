"""LU factors and what is solved with them; square roots and logarithms of matrices; tridiagonal matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.scipy.linalg as jsl

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, int32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.creation import eye
from tapeflow.ops.array.rearranging import roll
from tapeflow.ops.array.shaping import expand_dims, squeeze
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.linalg.diagonal import adjoint, diag_part, matrix_transpose
from tapeflow.ops.linalg.factorization import check_matrix
from tapeflow.ops.math.casting import cast
from tapeflow.ops.signal.fourier import COMPLEX

lax = jax.lax


class Lu(NamedTuple):
    """What `lu` returns."""

    lu: Tensor
    p: Tensor


@op(name="Lu")
def _lu_op(x: jax.Array) -> Any:
    check_matrix("tf.linalg.lu", "input", x)
    factors, _, order = lax.linalg.lu(x)
    return factors, order.astype(jnp.int32)


def lu(input: TensorLike, output_idx_type: Any = int32, name: str | None = None) -> Lu:
    """The factors of a matrix with its rows in another order: below the diagonal the lower one, above the upper.

    Returns:
        `(lu, p)`: row i of the product of the factors is row p[i] of the input.
    """
    factors, order = _lu_op(input)
    return Lu(factors, cast(order, as_dtype(output_idx_type)))


def _lower(factors: Any) -> jax.Array:
    return jnp.tril(factors, -1) + jnp.eye(factors.shape[-1], dtype=factors.dtype)


@op(name="LuReconstruct", same_dtype=False)
def _reconstruct_op(factors: jax.Array, order: jax.Array) -> jax.Array:
    product = _lower(factors) @ jnp.triu(factors)
    return jnp.take_along_axis(product, jnp.argsort(order, -1)[..., None], -2)


@op(name="LuSolve", same_dtype=False)
def _lu_solve_op(factors: jax.Array, order: jax.Array, rhs: jax.Array) -> jax.Array:
    shape = jnp.broadcast_shapes(factors.shape[:-2], rhs.shape[:-2])
    factors = jnp.broadcast_to(factors, shape + factors.shape[-2:])
    rhs = jnp.broadcast_to(rhs, shape + rhs.shape[-2:])
    rows = jnp.broadcast_to(order, shape + order.shape[-1:])[..., None].astype(jnp.int32)
    moved = jnp.take_along_axis(rhs, rows, -2)
    half = lax.linalg.triangular_solve(factors, moved, left_side=True, lower=True, unit_diagonal=True)
    return lax.linalg.triangular_solve(factors, half, left_side=True, lower=False)


def _factors(where: str, lower_upper: TensorLike, perm: Any) -> tuple[Tensor, Tensor]:
    factors, order = convert_to_tensor(lower_upper), convert_to_tensor(perm)
    if factors.ndim < 2 or order.spec.shape[-1:] != factors.spec.shape[-2:-1] or not order.dtype.is_integer:
        raise invalid(
            f"{where} expected the factors and row permutation returned by tf.linalg.lu; got lower_upper "
            f"{describe(factors)} and perm {describe(order)}."
        )
    return factors, order


def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix whose factors these are."""
    return _reconstruct_op(*_factors("tf.linalg.lu_reconstruct", lower_upper, perm))


def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The x with A x = rhs, for a matrix A given by its factors."""
    factors, order = _factors("tf.linalg.lu_solve", lower_upper, perm)
    right = convert_to_tensor(rhs, dtype_hint=factors.dtype)
    if right.ndim < 2 or right.spec.shape[-2] != factors.spec.shape[-1]:
        raise invalid(
            f"tf.linalg.lu_solve expected rhs of shape [..., {factors.spec.shape[-1]}, k]; got rhs {describe(right)}."
        )
    return _lu_solve_op(factors, order, right)


def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of a matrix given by its factors."""
    factors, order = _factors("tf.linalg.lu_matrix_inverse", lower_upper, perm)
    return _lu_solve_op(factors, order, eye(factors.spec.shape[-1], dtype=factors.dtype))


@jax.custom_jvp
def _root(x: jax.Array) -> Any:
    found = jsl.sqrtm(x)
    return found if jnp.issubdtype(x.dtype, jnp.complexfloating) else jnp.real(found).astype(x.dtype)


@_root.defjvp
def _root_jvp(primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
    """From R R = X follows R dR + dR R = dX, which is linear in dR."""
    root = _root(primals[0])
    one = jnp.eye(root.shape[-1], dtype=root.dtype)
    system = jnp.kron(root, one) + jnp.kron(one, root.T)
    return root, jnp.linalg.solve(system, tangents[0].reshape(-1)).reshape(root.shape)


@op(name="MatrixSquareRoot")
def _root_op(x: jax.Array) -> jax.Array:
    check_matrix("tf.linalg.sqrtm", "input", x)
    flat = x.reshape((-1, *x.shape[-2:]))
    return jnp.stack([_root(m) for m in flat]).reshape(x.shape) if flat.shape[0] else x


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix whose square is `input`; of a real matrix it must be real."""
    return _root_op(input)


def matrix_square_root(input: TensorLike, name: str | None = None) -> Tensor:
    """`tf.linalg.sqrtm`; TensorFlow has it here too."""
    return sqrtm(input)


@op(name="MatrixLogarithm")
def _log_op(x: jax.Array) -> jax.Array:
    COMPLEX.check("tf.linalg.logm", input=x)
    check_matrix("tf.linalg.logm", "input", x)
    values, vectors = lax.linalg.eig(x, compute_left_eigenvectors=False)
    return (vectors * jnp.log(values)[..., None, :]) @ jnp.linalg.inv(vectors)


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix whose exponential is `input`, a complex matrix with as many eigenvectors as columns."""
    return _log_op(input)


@op(name="TridiagonalMatMul")
def _tri_matmul_op(above: jax.Array, middle: jax.Array, below: jax.Array, rhs: jax.Array) -> jax.Array:
    width = [(0, 0)] * (rhs.ndim - 2)
    up = jnp.pad(rhs[..., 1:, :], [*width, (0, 1), (0, 0)])
    down = jnp.pad(rhs[..., :-1, :], [*width, (1, 0), (0, 0)])
    return above[..., None] * up + middle[..., None] * rhs + below[..., None] * down


@op(name="TridiagonalSolve")
def _tri_solve_op(above: jax.Array, middle: jax.Array, below: jax.Array, rhs: jax.Array) -> jax.Array:
    return lax.linalg.tridiagonal_solve(below.at[..., 0].set(0), middle, above.at[..., -1].set(0), rhs)


def diagonals_of(where: str, diagonals: TensorLike, form: str) -> tuple[Tensor, Tensor, Tensor]:
    """The three diagonals, each of the matrix's size; what sticks out of it does not count."""
    if form == "matrix":
        matrix = convert_to_tensor(diagonals)
        found = diag_part(matrix, k=(-1, 1))
        above, middle, below = found[..., 0, :], found[..., 1, :], found[..., 2, :]
        return roll(above, -1, -1), middle, roll(below, 1, -1)  # from the corners to the rows they are in
    if form == "compact":
        whole = convert_to_tensor(diagonals)
        return whole[..., 0, :], whole[..., 1, :], whole[..., 2, :]
    if form == "sequence" and isinstance(diagonals, (list, tuple)) and len(diagonals) == 3:
        above, middle, below = (convert_to_tensor(d) for d in diagonals)
        return above, middle, below
    raise ValueError(
        f"{where} expected diagonals_format 'compact', 'sequence' with three diagonals, or 'matrix'; got "
        f"diagonals_format={form!r}."
    )


def tridiagonal_matmul(
    diagonals: TensorLike, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The product of a tridiagonal matrix, given by its diagonals, and `rhs`."""
    return _tri_matmul_op(*diagonals_of("tf.linalg.tridiagonal_matmul", diagonals, diagonals_format), rhs)


def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The x with A x = rhs, for a tridiagonal matrix A given by its diagonals: above, middle, below."""
    above, middle, below = diagonals_of("tf.linalg.tridiagonal_solve", diagonals, diagonals_format)
    right = convert_to_tensor(rhs, dtype_hint=middle.dtype)
    is_vector = right.ndim == middle.ndim
    if is_vector:
        right = expand_dims(right, -1)
    elif transpose_rhs:
        right = adjoint(right) if conjugate_rhs else matrix_transpose(right)
    found = _tri_solve_op(above, middle, below, right)
    return squeeze(found, -1) if is_vector else found
