"""Operators with nothing off the diagonal: `LinearOperatorDiag`, the identity, scaled, and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array import creation, shaping
from tapeflow.ops.host_args import read_int, read_shape
from tapeflow.ops.linalg import diagonal
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, as_matrix, broadcast_batch, dims
from tapeflow.ops.math import arithmetic, elementwise, reduction


class Diagonal(LinearOperator):
    """What all diagonal operators do, given `_scale()`: the diagonal, or one number for all of it."""

    def _scale(self) -> Any:
        raise NotImplementedError

    def _full(self) -> Tensor:
        return shaping.broadcast_to(self._scale(), dims(self)[:-1])

    def _turned(self, adjoint: bool) -> Tensor:
        scale = self._scale()
        scale = elementwise.conj(scale) if adjoint and self.dtype.is_complex else scale
        return shaping.expand_dims(scale, -1)

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._turned(adjoint) * x

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return rhs / self._turned(adjoint)

    def _to_dense(self) -> Tensor:
        return diagonal.diag(self._full())

    def _diag_part(self) -> Tensor:
        return self._full()

    def _determinant(self) -> Tensor:
        return reduction.reduce_prod(self._full(), -1)

    def _log_abs_determinant(self) -> Tensor:
        return reduction.reduce_sum(elementwise.log(arithmetic.abs(self._full())), -1)

    def _eigvals(self) -> Tensor:
        return self._full()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        whole = broadcast_batch(x, dims(self)[:-2])
        return diagonal.set_diag(whole, diagonal.diag_part(whole) + self._full())

    def _with(self, scale: Tensor, **hints: Any) -> LinearOperator:
        """An operator of the same kind with another scale."""
        return LinearOperatorDiag(scale, **hints)

    def _linop_adjoint(self) -> LinearOperator:
        scale = self._scale()
        return self._with(
            elementwise.conj(scale) if self.dtype.is_complex else scale,
            is_non_singular=self.is_non_singular,
            is_positive_definite=self.is_positive_definite,
        )

    def _linop_inverse(self) -> LinearOperator:
        return self._with(
            1 / self._scale(),
            is_non_singular=True,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
        )

    def _linop_cholesky(self) -> LinearOperator:
        return self._with(
            arithmetic.sqrt(self._scale()),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
        )


class LinearOperatorDiag(Diagonal):
    """A diagonal matrix, or a batch of them, given by the diagonal."""

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        self._diag = as_matrix(diag)
        if not dims(self._diag):
            raise ValueError(
                "LinearOperatorDiag expected diag with at least one dimension: argument `diag` must have at least 1 "
                "dimension; got a scalar."
            )
        if is_square is False:
            raise ValueError(
                "LinearOperatorDiag expected is_square=True: only square diagonal operators supported."
            )
        dtype = self._diag.dtype
        if not dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "LinearOperatorDiag expected is_self_adjoint=True: a real diagonal is self-adjoint."
                )
            is_self_adjoint = True
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(dtype, None, *hints, name, {"diag": diag})

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diag

    def _shape(self) -> tuple[int, ...]:
        return (*dims(self._diag), dims(self._diag)[-1])

    def _scale(self) -> Tensor | Variable:
        return self._diag


class LinearOperatorScaledIdentity(Diagonal):
    """The identity times a number, one for each matrix of a batch."""

    def __init__(
        self,
        num_rows: int,
        multiplier: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        if not is_square:
            raise ValueError(
                f"{type(self).__name__} expected is_square=True: a non-square identity is not supported."
            )
        self._rows = read_int(num_rows, type(self).__name__, "num_rows")
        if self._rows < 0:
            raise ValueError(
                f"{type(self).__name__} expected num_rows of at least 0: it must be non-negative; got "
                f"num_rows={self._rows}."
            )
        self._multiplier = as_matrix(multiplier)
        dtype = self._multiplier.dtype
        is_self_adjoint = True if not dtype.is_complex else is_self_adjoint
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(dtype, None, *hints, name, {"num_rows": num_rows, "multiplier": multiplier})

    @property
    def multiplier(self) -> Any:
        """The number, or one for each matrix."""
        return self._multiplier

    def _shape(self) -> tuple[int, ...]:
        return (*dims(self._multiplier), self._rows, self._rows)

    def _scale(self) -> Tensor:
        return shaping.expand_dims(self._multiplier, -1)

    def _trace(self) -> Tensor:
        return self._multiplier * self._rows

    def _with(self, scale: TensorLike, **hints: Any) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._rows, shaping.squeeze(scale, -1), **hints)


class LinearOperatorIdentity(LinearOperatorScaledIdentity):
    """The identity, or a batch of them."""

    def __init__(
        self,
        num_rows: int,
        batch_shape: Any = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        if not (is_non_singular and is_self_adjoint and is_positive_definite):
            raise ValueError(
                "LinearOperatorIdentity expected its hints to be True: an identity operator is always self-adjoint, "
                "non-singular and positive definite. Leave them out."
            )
        batch = (
            () if batch_shape is None else read_shape(batch_shape, "LinearOperatorIdentity", "batch_shape")
        )
        ones = creation.ones(batch, float32 if dtype is None else dtype)
        super().__init__(num_rows, ones, True, True, True, is_square, name=name)
        self._parameters = {"num_rows": num_rows, "batch_shape": batch_shape, "dtype": dtype}

    def _linop_adjoint(self) -> LinearOperator:
        return self

    _linop_inverse = _linop_cholesky = _linop_adjoint

    def _log_abs_determinant(self) -> Tensor:
        return creation.zeros(dims(self)[:-2], self.dtype)


class LinearOperatorZeros(LinearOperator):
    """Zeros in any number of rows and columns."""

    def __init__(
        self,
        num_rows: int,
        num_columns: int | None = None,
        batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        where = "LinearOperatorZeros"
        rows = read_int(num_rows, where, "num_rows")
        columns = rows if num_columns is None else read_int(num_columns, where, "num_columns")
        batch = () if batch_shape is None else read_shape(batch_shape, where, "batch_shape")
        if is_non_singular or is_positive_definite or (is_square and rows != columns):
            raise ValueError(
                f"{where} expected hints that are true for a zero operator: a zero operator is never "
                "non-singular or positive "
                f"definite, and {rows} x {columns} is{'' if rows == columns else ' not'} square. Use is_square=False "
                f"if it is not."
            )
        self._dimensions = (*batch, rows, columns)
        is_self_adjoint = is_self_adjoint if rows == columns else None
        kind = float32 if dtype is None else dtype
        parameters = {
            "num_rows": num_rows,
            "num_columns": num_columns,
            "batch_shape": batch_shape,
            "dtype": dtype,
        }
        super().__init__(kind, None, False, is_self_adjoint, False, is_square, name, parameters)

    def _shape(self) -> tuple[int, ...]:
        return self._dimensions

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        *batch, rows, columns = self._dimensions
        shape = dims(x)
        outer = np.broadcast_shapes(tuple(batch), shape[:-2])
        return creation.zeros((*outer, columns if adjoint else rows, shape[-1]), self.dtype)

    def _to_dense(self) -> Tensor:
        return creation.zeros(self._dimensions, self.dtype)

    def _determinant(self) -> Tensor:
        return creation.zeros(self._dimensions[:-2], self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return creation.fill(self._dimensions[:-2], np.asarray(-np.inf, self.dtype.as_numpy_dtype))

    def _linop_adjoint(self) -> LinearOperator:
        *batch, rows, columns = self._dimensions
        return LinearOperatorZeros(columns, rows, batch, self.dtype, is_square=rows == columns)
