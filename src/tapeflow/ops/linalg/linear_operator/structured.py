"""Operators of few numbers: tridiagonal and Toeplitz matrices, permutations, reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, complex64, complex128, float32, float64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import creation, indexing, joining, shaping
from tapeflow.ops.array.rearranging import reverse, roll
from tapeflow.ops.host_args import index_tensor
from tapeflow.ops.linalg import products
from tapeflow.ops.linalg.diagonal import matrix_transpose
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, as_matrix, broadcast_batch, dims
from tapeflow.ops.linalg.matrix_functions import diagonals_of, tridiagonal_matmul, tridiagonal_solve
from tapeflow.ops.linalg.norm import normalize
from tapeflow.ops.math import elementwise, ordering
from tapeflow.ops.math.casting import cast
from tapeflow.ops.signal.fourier import fft, ifft


def _conj(value: Any) -> Any:
    return elementwise.conj(value) if value.dtype.is_complex else value


class LinearOperatorTridiag(LinearOperator):
    """A tridiagonal matrix: its diagonals above, in the middle and below, as `tf.linalg.tridiagonal_solve` takes "
    "them."""

    def __init__(
        self,
        diagonals: TensorLike,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        self._diagonals = diagonals if diagonals_format == "sequence" else as_matrix(diagonals)
        self._form = diagonals_format
        middle = diagonals_of("LinearOperatorTridiag", self._diagonals, diagonals_format)[1]
        self._dimensions = (*dims(middle), dims(middle)[-1])
        hints = (
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True if is_square is None else is_square,
        )
        parameters = {"diagonals": diagonals, "diagonals_format": diagonals_format}
        super().__init__(middle.dtype, None, *hints, name, parameters)

    @property
    def diagonals(self) -> Any:
        """The diagonals it was made with."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How they are given."""
        return self._form

    def _shape(self) -> Any:
        return self._dimensions

    def _compact(self, adjoint: bool) -> Tensor:
        above, middle, below = diagonals_of("LinearOperatorTridiag", self._diagonals, self._form)
        if adjoint:
            above, middle, below = _conj(roll(below, -1, -1)), _conj(middle), _conj(roll(above, 1, -1))
        return joining.stack([above, middle, below], -2)

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        return tridiagonal_matmul(self._compact(adjoint), x)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        batch = np.broadcast_shapes(self._dimensions[:-2], dims(rhs)[:-2])
        return tridiagonal_solve(broadcast_batch(self._compact(adjoint), batch), broadcast_batch(rhs, batch))

    def _diag_part(self) -> Tensor:
        return self._compact(False)[..., 1, :]


class LinearOperatorToeplitz(LinearOperator):
    """A matrix that is constant along its diagonals: its first column and its first row."""

    def __init__(
        self,
        col: TensorLike,
        row: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        self._col, self._row = as_matrix(col), as_matrix(row)
        if dims(self._col)[-1:] != dims(self._row)[-1:]:
            raise ValueError(
                "LinearOperatorToeplitz expected col and row of one length: expected square matrices; got shapes "
                f"{self._col.shape} and {self._row.shape}."
            )
        hints = (
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True if is_square is None else is_square,
        )
        super().__init__(self._row.dtype, None, *hints, name, {"col": col, "row": row})

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> Any:
        size = dims(self._col)[-1]
        return (*np.broadcast_shapes(dims(self._col)[:-1], dims(self._row)[:-1]), size, size)

    def _pair(self) -> tuple[Tensor, Tensor]:
        batch = dims(self)[:-2]
        return broadcast_batch(self._col, batch, 1), broadcast_batch(self._row, batch, 1)

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        """The product by Fourier transforms, as part of a circulant matrix of twice the size."""
        col, row = self._pair()
        if adjoint:
            col, row = _conj(row), _conj(col)
        size = self.domain_dimension
        wide = complex128 if self.dtype in (float64, complex128) else complex64
        first = joining.concat([col, col[..., :1], reverse(row[..., 1:], [len(dims(row)) - 1])], -1)
        columns = matrix_transpose(cast(x, wide))
        padded = joining.concat([columns, creation.zeros_like(columns)], -1)
        spectrum = shaping.expand_dims(fft(cast(first, wide)), -2)
        found = matrix_transpose(ifft(spectrum * fft(padded))[..., :size])
        return cast(found if self.dtype.is_complex else elementwise.real(found), self.dtype)

    def _to_dense(self) -> Tensor:
        col, row = self._pair()
        size = self.domain_dimension
        values = joining.concat([reverse(row[..., 1:], [len(dims(row)) - 1]), col], -1)
        places = np.arange(size)[:, None] - np.arange(size)[None] + size - 1
        return indexing.gather(values, places, axis=-1)

    def _diag_part(self) -> Tensor:
        return shaping.broadcast_to(self._pair()[0][..., :1], dims(self)[:-1])


class LinearOperatorPermutation(LinearOperator):
    """The rows of its argument in another order: row i of the result is row `perm[i]`."""

    def __init__(
        self,
        perm: TensorLike,
        dtype: DTypeLike = float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        if is_non_singular is False or is_square is False:
            raise ValueError(
                "LinearOperatorPermutation expected hints that are true for permutations: a permutation "
                "operator is always "
                "non-singular and square."
            )
        self._perm = index_tensor(perm, "LinearOperatorPermutation", "perm")
        hints = (True, is_self_adjoint, is_positive_definite, True)
        super().__init__(as_dtype(dtype), None, *hints, name, {"perm": perm, "dtype": dtype})

    @property
    def perm(self) -> Tensor:
        """The order."""
        return self._perm

    def _shape(self) -> Any:
        return (*dims(self._perm), dims(self._perm)[-1])

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        order = ordering.argsort(self._perm) if adjoint else self._perm
        batch = np.broadcast_shapes(dims(order)[:-1], dims(x)[:-2])
        rows, whole = broadcast_batch(order, batch, 1), broadcast_batch(x, batch)
        return indexing.gather(whole, rows, axis=len(batch), batch_dims=len(batch))

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint=not adjoint)

    def _log_abs_determinant(self) -> Tensor:
        return creation.zeros(dims(self)[:-2], self.dtype)

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorPermutation(ordering.argsort(self._perm), self.dtype)

    _linop_adjoint = _linop_inverse


class LinearOperatorHouseholder(LinearOperator):
    """The reflection about the plane that a vector is normal to: I - 2 v v^H, v of length one."""

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        if is_positive_definite or False in (is_non_singular, is_self_adjoint, is_square):
            raise ValueError(
                "LinearOperatorHouseholder expected hints that are true for reflections: a Householder "
                "operator is always "
                "non-singular, self-adjoint and square, and never positive definite."
            )
        self._axis = as_matrix(reflection_axis)
        super().__init__(
            self._axis.dtype, None, True, True, False, True, name, {"reflection_axis": reflection_axis}
        )

    @property
    def reflection_axis(self) -> Any:
        """The vector."""
        return self._axis

    def _shape(self) -> Any:
        return (*dims(self._axis), dims(self._axis)[-1])

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        vector = shaping.expand_dims(normalize(self._axis, axis=-1)[0], -1)
        return x - 2 * vector * products.matmul(vector, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        return self._matmul(rhs)

    def _diag_part(self) -> Tensor:
        vector = normalize(self._axis, axis=-1)[0]
        return 1 - 2 * vector * _conj(vector)

    def _trace(self) -> Tensor:
        return creation.fill(
            dims(self)[:-2], np.asarray(self.domain_dimension - 2, self.dtype.as_numpy_dtype)
        )

    def _determinant(self) -> Tensor:
        return -creation.ones(dims(self)[:-2], self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return creation.zeros(dims(self)[:-2], self.dtype)

    def _eigvals(self) -> Tensor:
        ones = np.ones(self.domain_dimension, self.dtype.as_numpy_dtype)
        ones[:1] = -1
        return shaping.broadcast_to(convert_to_tensor(ones), dims(self)[:-1])

    def _linop_inverse(self) -> LinearOperator:
        return self
