"""Matrices given by their diagonals: `tf.linalg.banded_triangular_solve`, `eigh_tridiagonal`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import INEXACT
from tapeflow.ops.host_args import describe, invalid, same_dtype
from tapeflow.ops.linalg.solving import triangular_solve

lax = jax.lax


@op(name="BandedMatrix")
def _dense_op(bands: jax.Array, *, lower: bool) -> jax.Array:
    """The triangular matrix whose diagonals are the rows of `bands`, each element in the column it is stored in."""
    INEXACT.check("tf.linalg.banded_triangular_solve", bands=bands)
    count, size = bands.shape[-2:]
    row, column = np.arange(size)[:, None], np.arange(size)[None]
    offset = row - column
    # Below the diagonal a band is padded on the left and so stored by row; above it on the right, by row as well.
    band = offset if lower else count - 1 + offset
    inside = (offset >= 0 if lower else offset <= 0) & (band >= 0) & (band < count)
    picked = bands[..., np.where(inside, band, 0), np.broadcast_to(row, band.shape)]
    return jnp.where(inside, picked, jnp.zeros((), bands.dtype))


def banded_triangular_solve(
    bands: Any, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """x with A x = rhs, for a triangular matrix A given by its diagonals.

    Args:
        bands: shape (..., diagonals, size). With `lower` the main diagonal comes first and those below it follow,
            padded on the left; otherwise the main one comes last and those above it precede, padded on the right.
        rhs: shape (..., size, columns).
        lower: whether the matrix is lower triangular.
        adjoint: solve with the conjugate transpose.
    """
    where = "tf.linalg.banded_triangular_solve"
    diagonals, right = same_dtype("BandedTriangularSolve", bands, rhs)
    shape = diagonals.spec.shape
    if (
        len(shape) < 2
        or not 1 <= shape[-2] <= shape[-1]
        or right.ndim < 2
        or right.spec.shape[-2] != shape[-1]
    ):
        raise invalid(
            f"{where} expected bands of shape [..., diagonals, size], no more diagonals than size, and as many rows in "
            f"rhs; got bands {describe(diagonals)} and rhs {describe(right)}."
        )
    return triangular_solve(_dense_op(diagonals, lower=bool(lower)), right, bool(lower), bool(adjoint))


@op(name="EighTridiagonal")
def _eigh_op(alpha: jax.Array, beta: jax.Array) -> Any:
    INEXACT.check("tf.linalg.eigh_tridiagonal", alpha=alpha)
    size = alpha.shape[-1]
    below = (
        jnp.zeros((*alpha.shape, size), alpha.dtype)
        .at[..., np.arange(1, size), np.arange(size - 1)]
        .set(beta)
    )
    matrix = below + jnp.conj(jnp.swapaxes(below, -1, -2))
    matrix = matrix.at[..., np.arange(size), np.arange(size)].set(jnp.real(alpha).astype(alpha.dtype))
    v, w = lax.linalg.eigh(matrix, symmetrize_input=False, sort_eigenvalues=True)
    return w, v


def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: object = None,
    name: str | None = None,
) -> Any:
    """The eigenvalues, in ascending order, and eigenvectors of a Hermitian tridiagonal matrix.

    Args:
        alpha: the main diagonal, of which the real part counts.
        beta: the diagonal below it, one shorter.
        eigvals_only: leave the vectors out.
        select: 'a' for all, 'i' for those with the numbers of `select_range`, 'v' for those within it.
        select_range: the first and the last number, or the bounds `(low, high]`.
        tol: ignored; the values are exact to rounding.

    Returns:
        The values, or a pair of the values and a matrix with the vectors in its columns.
    """
    where = "tf.linalg.eigh_tridiagonal"
    middle, side = same_dtype("EighTridiagonal", alpha, beta)
    if middle.ndim < 1 or side.spec.shape != (*middle.spec.shape[:-1], middle.spec.shape[-1] - 1):
        raise ValueError(
            f"{where} expected beta to be one shorter than alpha; got alpha {describe(middle)} and "
            f"beta {describe(side)}."
        )
    if select not in ("a", "i", "v") or (select != "a" and np.size(select_range) != 2):
        raise ValueError(
            f"{where} expected select to be 'a', or 'i' or 'v' with a select_range of two numbers; got "
            f"select={select!r}, select_range={select_range!r}."
        )
    values, vectors = _eigh_op(middle, side)
    if select == "i":
        first, last = (int(n) for n in np.asarray(convert_to_tensor(select_range)))
        values, vectors = values[..., first : last + 1], vectors[..., first : last + 1]
    elif select == "v":
        if middle.ndim > 1:
            raise ValueError(
                f"{where} expected one matrix for select='v'; got alpha {describe(middle)}. Use 'i'."
            )
        low, high = (float(n) for n in np.asarray(convert_to_tensor(select_range)))
        found = np.asarray(values)
        first, last = np.searchsorted(found, [low, high], side="right").tolist()
        values, vectors = values[first:last], vectors[:, first:last]
    return values if eigvals_only else (values, vectors)
