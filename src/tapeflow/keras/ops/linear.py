"""`tf.keras.ops` of matrices and of spectra."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import AxisLike
from tapeflow.keras.ops.arranging import moveaxis
from tapeflow.keras.ops.conversion import alike, floating, tensor


def matmul(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The product of matrices; of vectors and matrices, too."""
    one, two = alike(x1, x2)
    rank_one, rank_two = len(one.shape), len(two.shape)
    if rank_one >= 2 and rank_two >= 2:
        return tf.matmul(one, two)
    if rank_one == 1 and rank_two == 1:
        return tf.reduce_sum(one * two)
    if rank_two == 1:
        return tf.linalg.matvec(one, two)
    return tf.squeeze(tf.matmul(tf.expand_dims(one, 0), two), -2)


def dot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The sum over the last axis of one and the last but one of the other."""
    one, two = alike(x1, x2)
    if not len(one.shape) or not len(two.shape):
        return one * two
    return tf.tensordot(one, two, [[-1], [-2 if len(two.shape) > 1 else -1]])


def vdot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The sum of the products of all elements."""
    one, two = alike(x1, x2)
    return tf.reduce_sum(tf.math.conj(tf.reshape(one, [-1])) * tf.reshape(two, [-1]))


def inner(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The sum over the last axes."""
    one, two = alike(x1, x2)
    return one * two if not len(one.shape) or not len(two.shape) else tf.tensordot(one, two, [[-1], [-1]])


def outer(x1: TensorLike, x2: TensorLike) -> Tensor:
    """All products of an element of one and one of the other."""
    one, two = alike(x1, x2)
    return tf.reshape(one, [-1, 1]) * tf.reshape(two, [1, -1])


def tensordot(x1: TensorLike, x2: TensorLike, axes: AxisLike = 2) -> Tensor:
    """The sum over several axes of both."""
    one, two = alike(x1, x2)
    return tf.tensordot(one, two, axes)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """Einstein's sum."""
    return tf.einsum(subscripts, *alike(*operands), **kwargs)


def kron(x1: TensorLike, x2: TensorLike) -> Tensor:
    """One matrix, with the other in the place of each element."""
    return tf.experimental.numpy.kron(*alike(x1, x2))


def cross(
    x1: TensorLike, x2: TensorLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """The vectors that are at right angles to two others."""
    one, two = alike(x1, x2)
    return tf.experimental.numpy.cross(one, two, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis)


def cholesky(x: TensorLike, upper: bool = False) -> Tensor:
    """The triangular matrix whose product with its transpose is `x`."""
    factor = tf.linalg.cholesky(floating(x))
    return tf.linalg.adjoint(factor) if upper else factor


def cholesky_inverse(x: TensorLike, upper: bool = False) -> Tensor:
    """The inverse of a matrix from its Cholesky factor."""
    factor = floating(x)
    lower = tf.linalg.adjoint(factor) if upper else factor
    return tf.linalg.cholesky_solve(lower, tf.eye(lower.shape[-1], dtype=lower.dtype))


def det(x: TensorLike) -> Tensor:
    """The determinant."""
    return tf.linalg.det(floating(x))


def slogdet(x: TensorLike) -> tuple[Any, Any]:
    """The sign of the determinant, and the logarithm of its size."""
    sign, size = tf.linalg.slogdet(floating(x))
    return sign, size


def logdet(x: TensorLike) -> Tensor:
    """The logarithm of the determinant of a positive definite matrix."""
    return tf.linalg.slogdet(floating(x))[1]


def eig(x: TensorLike) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors."""
    values, vectors = tf.linalg.eig(floating(x))
    return values, vectors


def eigh(x: TensorLike) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    values, vectors = tf.linalg.eigh(floating(x))
    return values, vectors


def inv(x: TensorLike) -> Tensor:
    """The inverse."""
    return tf.linalg.inv(floating(x))


def pinv(x: TensorLike, rcond: Any = None) -> Tensor:
    """The pseudo-inverse."""
    return tf.linalg.pinv(floating(x), rcond)


def qr(x: TensorLike, mode: str = "reduced") -> tuple[Any, Any]:
    """An orthogonal and a triangular factor."""
    q, r = tf.linalg.qr(floating(x), full_matrices=mode == "complete")
    return q, r


def svd(x: TensorLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular vectors and values: `u`, `s` and the adjoint of `v`; or the values alone."""
    x = floating(x)
    if not compute_uv:
        return tf.linalg.svd(x, full_matrices, compute_uv=False)
    s, u, v = tf.linalg.svd(x, full_matrices)
    return u, s, tf.linalg.adjoint(v)


def lu_factor(x: TensorLike) -> tuple[Any, Any]:
    """A lower and an upper triangular factor in one matrix, and the order of the rows."""
    factors, order = tf.linalg.lu(floating(x))
    return factors, tf.math.invert_permutation(order)


def solve(a: Tensor, b: Tensor) -> Tensor:
    """The solution of linear equations."""
    a, b = map(floating, alike(a, b))
    if len(b.shape) == len(a.shape) - 1:
        return tf.squeeze(tf.linalg.solve(a, tf.expand_dims(b, -1)), -1)
    return tf.linalg.solve(a, b)


def solve_triangular(a: Tensor, b: Tensor, lower: bool = False) -> Tensor:
    """The solution of linear equations with a triangular matrix."""
    a, b = map(floating, alike(a, b))
    if len(b.shape) == len(a.shape) - 1:
        return tf.squeeze(tf.linalg.triangular_solve(a, tf.expand_dims(b, -1), lower), -1)
    return tf.linalg.triangular_solve(a, b, lower)


def lstsq(a: TensorLike, b: Tensor, rcond: Any = None) -> Tensor:
    """The solution with the least squares."""
    a, b = map(floating, alike(a, b))
    right = tf.expand_dims(b, -1) if len(b.shape) == 1 else b
    solution = tf.matmul(tf.linalg.pinv(a, rcond), right)
    return tf.squeeze(solution, -1) if len(b.shape) == 1 else solution


def matrix_rank(x: TensorLike, tol: Any = None) -> Tensor:
    """How many singular values are not zero."""
    return tf.linalg.matrix_rank(floating(x), tol)


def norm(
    x: np.ndarray, ord: Any = None, axis: int | Sequence[int] | None = None, keepdims: bool = False
) -> Tensor:
    """The length of vectors, or a norm of matrices."""
    x = floating(x)
    if ord is None:
        return tf.sqrt(
            tf.reduce_sum(tf.square(tf.abs(x)), list(axis) if isinstance(axis, tuple) else axis, keepdims)
        )
    rank = len(x.shape)
    axes = tuple(range(rank)) if axis is None else tuple(a % rank for a in np.atleast_1d(axis).tolist())
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    return _matrix_norm(x, ord, axes, keepdims)


def _vector_norm(x: TensorLike, ord: Any, axis: int, keepdims: bool) -> Tensor:
    size = tf.abs(x)
    if ord == np.inf:
        return tf.reduce_max(size, axis, keepdims)
    if ord == -np.inf:
        return tf.reduce_min(size, axis, keepdims)
    if ord == 0:
        return tf.reduce_sum(tf.cast(tf.not_equal(x, 0), size.dtype), axis, keepdims)
    return tf.pow(tf.reduce_sum(tf.pow(size, float(ord)), axis, keepdims), 1.0 / float(ord))


def _matrix_norm(x: TensorLike, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    rows, columns = axes
    size = tf.abs(x)
    if ord in ("fro", "f"):
        return tf.sqrt(tf.reduce_sum(tf.square(size), list(axes), keepdims))
    if ord in ("nuc", 2, -2):
        values = tf.linalg.svd(moveaxis(x, axes, (-2, -1)), compute_uv=False)
        reduce = {"nuc": tf.reduce_sum, 2: tf.reduce_max, -2: tf.reduce_min}[ord]
        norms = reduce(values, -1)
    elif ord in (1, -1, np.inf, -np.inf):
        summed, kept = (rows, columns) if builtins.abs(ord) == 1 else (columns, rows)
        sums = tf.reduce_sum(size, summed, True)
        norms = (tf.reduce_max if ord > 0 else tf.reduce_min)(sums, [summed, kept])
    else:
        raise ValueError(
            f"tf.keras.ops.norm expected ord to be None, 'fro', 'nuc', 1, 2, inf or one of their negatives; got "
            f"ord={ord!r}. Give an axis for a vector's norm."
        )
    if keepdims:
        for axis in sorted(axes):
            norms = tf.expand_dims(norms, axis)
    return norms


def correlate(x1: TensorLike, x2: TensorLike, mode: str = "valid") -> Tensor:
    """The products of one row of numbers with another one moved along it, summed up.

    Args:
        x1: the one.
        x2: the other.
        mode: `'valid'` where the shorter one lies inside the longer one, `'same'` for as many numbers as the longer one
            has, `'full'` wherever they overlap.
    """
    first, second = map(floating, alike(x1, x2))
    n, m = first.shape[0], second.shape[0]
    if n < m:
        return correlate(second, first, mode)[::-1]
    padded: Any = tf.pad(first, [[m - 1, m - 1]])
    whole = tf.nn.conv1d(padded[None, :, None], second[:, None, None], stride=1, padding="VALID")[0, :, 0]
    starts = {"full": (0, n + m - 1), "same": (m - 1 - m // 2, n), "valid": (m - 1, n - m + 1)}
    if mode not in starts:
        raise ValueError(
            f"keras.ops.correlate expected mode to be 'valid', 'same' or 'full'; got mode={mode!r}. Use one of them."
        )
    start, count = starts[mode]
    return whole[start : start + count]


def _complex(x: Any) -> Tensor:
    real, imaginary = map(floating, alike(*x))
    return tf.complex(real, imaginary)


def _parts(x: Tensor) -> tuple[Any, Any]:
    return tf.math.real(x), tf.math.imag(x)


def fft(x: TensorLike) -> tuple[Any, Any]:
    """The spectrum along the last axis; complex numbers are pairs of tensors here."""
    return _parts(tf.signal.fft(_complex(x)))


def fft2(x: TensorLike) -> tuple[Any, Any]:
    """The spectrum along the last two axes."""
    return _parts(tf.signal.fft2d(_complex(x)))


def ifft2(x: TensorLike) -> tuple[Any, Any]:
    """What has a spectrum along the last two axes."""
    return _parts(tf.signal.ifft2d(_complex(x)))


def rfft(x: TensorLike, fft_length: int | None = None) -> tuple[Any, Any]:
    """The spectrum of real numbers."""
    return _parts(tf.signal.rfft(floating(x), None if fft_length is None else [fft_length]))


def irfft(x: TensorLike, fft_length: int | None = None) -> Tensor:
    """The real numbers that have a spectrum."""
    return tf.signal.irfft(_complex(x), None if fft_length is None else [fft_length])


def extract_sequences(x: TensorLike, sequence_length: int, sequence_stride: int) -> Tensor:
    """Windows along the last axis."""
    return tf.signal.frame(tensor(x), sequence_length, sequence_stride)
