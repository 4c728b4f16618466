"""Linear algebra and Fourier transforms."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import Node, forwards, implements, ints

_PLAIN: dict[str, Any] = {
    "Cholesky": tf.linalg.cholesky,
    "MatrixDeterminant": tf.linalg.det,
    "MatrixExponential": tf.linalg.expm,
    "MatrixLogarithm": tf.linalg.logm,
    "MatrixSquareRoot": tf.linalg.sqrtm,
    "FFT": tf.signal.fft,
    "FFT2D": tf.signal.fft2d,
    "FFT3D": tf.signal.fft3d,
    "IFFT": tf.signal.ifft,
    "IFFT2D": tf.signal.ifft2d,
    "IFFT3D": tf.signal.ifft3d,
    "TridiagonalMatMul": lambda upper, main, lower, x: tf.linalg.tridiagonal_matmul(
        (upper, main, lower), x, "sequence"
    ),
}
for _op, _function in _PLAIN.items():
    forwards(_op, _function)

_REAL_TRANSFORMS: dict[str, Any] = {
    "RFFT": tf.signal.rfft,
    "RFFT2D": tf.signal.rfft2d,
    "RFFT3D": tf.signal.rfft3d,
    "IRFFT": tf.signal.irfft,
    "IRFFT2D": tf.signal.irfft2d,
    "IRFFT3D": tf.signal.irfft3d,
}


@implements(*_REAL_TRANSFORMS)
def _real_transform(node: Node, x: Tensor, length: Tensor) -> Any:
    return _REAL_TRANSFORMS[node.op](x, ints(length))


@implements("MatrixInverse")
def _inverse(node: Node, x: Tensor) -> Any:
    return tf.linalg.inv(x, adjoint=node.flag("adjoint"))


@implements("MatrixSolve")
def _solve(node: Node, matrix: Tensor, x: Tensor) -> Any:
    return tf.linalg.solve(matrix, x, adjoint=node.flag("adjoint"))


@implements("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def _triangular_solve(node: Node, matrix: Tensor, x: Tensor) -> Any:
    return tf.linalg.triangular_solve(matrix, x, node.flag("lower", True), node.flag("adjoint"))


@implements("MatrixSolveLs")
def _least_squares(node: Node, matrix: Tensor, x: Tensor, regularizer: Tensor) -> Any:
    return tf.linalg.lstsq(matrix, x, regularizer, node.flag("fast", True))


@implements("BandedTriangularSolve")
def _banded_solve(node: Node, bands: Tensor, x: Tensor) -> Any:
    return tf.linalg.banded_triangular_solve(bands, x, node.flag("lower", True), node.flag("adjoint"))


@implements("TridiagonalSolve")
def _tridiagonal_solve(node: Node, diagonals: Tensor, x: Tensor) -> Any:
    return tf.linalg.tridiagonal_solve(diagonals, x, partial_pivoting=node.flag("partial_pivoting", True))


@implements("LogMatrixDeterminant", outputs=("sign", "log_abs_determinant"))
def _log_determinant(_: Node, x: Tensor) -> Any:
    return tuple(tf.linalg.slogdet(x))


@implements("SelfAdjointEigV2", outputs=("e", "v"))
def _eigh(_: Node, x: Tensor) -> Any:
    return tuple(tf.linalg.eigh(x))


@implements("Eig", outputs=("e", "v"))
def _eig(_: Node, x: Tensor) -> Any:
    return tuple(tf.linalg.eig(x))


@implements("Svd", outputs=("s", "u", "v"))
def _svd(node: Node, x: Tensor) -> Any:
    if not node.flag("compute_uv", True):
        values = tf.linalg.svd(x, compute_uv=False)
        return values, tf.zeros([0], x.dtype), tf.zeros([0], x.dtype)
    return tuple(tf.linalg.svd(x, node.flag("full_matrices")))


@implements("Qr", outputs=("q", "r"))
def _qr(node: Node, x: Tensor) -> Any:
    return tuple(tf.linalg.qr(x, node.flag("full_matrices")))


@implements("Lu", outputs=("lu", "p"))
def _lu(node: Node, x: Tensor) -> Any:
    return tuple(tf.linalg.lu(x, node.dtype("output_idx_type", tf.int32)))
