"""Circulant operators: convolution with a kernel that wraps around, in one, two or three dimensions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, complex64, complex128, float64
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import shaping
from tapeflow.ops.linalg.diagonal import matrix_transpose
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, as_matrix, dims
from tapeflow.ops.math import arithmetic, elementwise, reduction
from tapeflow.ops.math.casting import cast
from tapeflow.ops.signal import fourier

_FORWARD = (fourier.fft, fourier.fft2d, fourier.fft3d)
_BACKWARD = (fourier.ifft, fourier.ifft2d, fourier.ifft3d)


class LinearOperatorCirculant(LinearOperator):
    """A matrix whose rows are one row turned: Fourier's transform makes it diagonal, with the `spectrum` on it.

    Args:
        spectrum: the transform of the kernel, which is the matrix's first column; its eigenvalues.
        input_output_dtype: of what it is applied to. A real one needs a spectrum whose kernel is real.
    """

    _depth: ClassVar[int] = 1

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        self._spectrum = as_matrix(spectrum)
        if len(dims(self._spectrum)) < self._depth:
            raise ValueError(
                f"{type(self).__name__} expected a spectrum with at least {self._depth} dimensions: it must have at "
                f"least as many as blocks are deep; got shape {self._spectrum.shape}."
            )
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    f"{type(self).__name__} expected is_self_adjoint=True: a real spectrum always corresponds to a "
                    "self-adjoint operator."
                )
            is_self_adjoint = True
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        parameters = {"spectrum": spectrum, "input_output_dtype": input_output_dtype}
        super().__init__(as_dtype(input_output_dtype), None, *hints, name, parameters)

    @property
    def spectrum(self) -> Any:
        """The eigenvalues, in the order of Fourier's transform."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How many dimensions the kernel has."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The shape of the kernel."""
        return TensorShape(dims(self._spectrum)[-self._depth :])

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The kernel: the inverse transform of the spectrum."""
        return self._cast(_BACKWARD[self._depth - 1](self._wide(self._spectrum)))

    def _shape(self) -> Any:
        shape = dims(self._spectrum)
        size = math.prod(shape[-self._depth :])
        return (*shape[: -self._depth], size, size)

    def _wide(self, value: object) -> Tensor:
        is_double = self.dtype in (float64, complex128)
        return cast(convert_to_tensor(value), complex128 if is_double else complex64)

    def _cast(self, value: Tensor) -> Tensor:
        return cast(value if self.dtype.is_complex else elementwise.real(value), self.dtype)

    def _filtered(self, x: TensorLike, response: Any) -> Tensor:
        """Each column transformed, multiplied and transformed back."""
        columns = matrix_transpose(self._wide(x))
        blocks = shaping.reshape(columns, (*dims(columns)[:-1], *self.block_shape.as_list()))
        moved = _FORWARD[self._depth - 1](blocks) * shaping.expand_dims(response, -self._depth - 1)
        found = _BACKWARD[self._depth - 1](moved)
        flat = shaping.reshape(found, (*dims(found)[: -self._depth], self.domain_dimension))
        return self._cast(matrix_transpose(flat))

    def _response(self, adjoint: bool) -> Tensor:
        spectrum = self._wide(self._spectrum)
        return elementwise.conj(spectrum) if adjoint else spectrum

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        return self._filtered(x, self._response(adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        return self._filtered(rhs, 1 / self._response(adjoint))

    def _flat(self) -> Tensor:
        return shaping.reshape(self._spectrum, dims(self)[:-1])

    def _determinant(self) -> Tensor:
        return self._cast(reduction.reduce_prod(self._wide(self._flat()), -1))

    def _log_abs_determinant(self) -> Tensor:
        total = reduction.reduce_sum(elementwise.log(arithmetic.abs(self._flat())), -1)
        return cast(total, self.dtype)

    def _trace(self) -> Tensor:
        return self._cast(reduction.reduce_sum(self._wide(self._flat()), -1))

    def _diag_part(self) -> Tensor:
        mean = self._trace() / self.domain_dimension
        return shaping.broadcast_to(shaping.expand_dims(mean, -1), dims(self)[:-1])

    def _eigvals(self) -> Tensor:
        return self._flat()

    def _with(self, spectrum: Any, **hints: Any) -> LinearOperator:
        return type(self)(spectrum, self.dtype, **hints)

    def _linop_adjoint(self) -> LinearOperator:
        return self._with(elementwise.conj(self._spectrum), is_non_singular=self.is_non_singular)

    def _linop_inverse(self) -> LinearOperator:
        return self._with(
            1 / self._spectrum, is_non_singular=True, is_positive_definite=self.is_positive_definite
        )


class LinearOperatorCirculant2D(LinearOperatorCirculant):
    """A matrix that convolves with a kernel of two dimensions, on images written out row by row."""

    _depth = 2


class LinearOperatorCirculant3D(LinearOperatorCirculant):
    """A matrix that convolves with a kernel of three dimensions."""

    _depth = 3
