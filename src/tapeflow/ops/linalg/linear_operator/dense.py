"""Operators that are written out: `LinearOperatorFullMatrix`, `LinearOperatorLowerTriangular`."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import creation
from tapeflow.ops.linalg import diagonal, solving
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, as_matrix, dims
from tapeflow.ops.math import arithmetic, elementwise, reduction


def _at_least(where: str, name: str, value: TensorLike, rank: int) -> Any:
    matrix = as_matrix(value)
    if len(dims(matrix)) < rank or not (matrix.dtype.is_floating or matrix.dtype.is_complex):
        raise ValueError(
            f"{where} expected {name} to be a floating or complex tensor with at least {rank} dimensions; got shape "
            f"{matrix.shape}, {matrix.dtype.name}."
        )
    return matrix


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix, or a batch of them, as an operator."""

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        self._matrix = _at_least("LinearOperatorFullMatrix", "matrix", matrix, 2)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self._matrix.dtype, None, *hints, name, {"matrix": matrix})

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _shape(self) -> tuple[int, ...]:
        return dims(self._matrix)

    def _to_dense(self) -> Tensor:
        return convert_to_tensor(self._matrix)


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix; what `tril` has above the diagonal does not count."""

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        if is_square is False:
            raise ValueError(
                "LinearOperatorLowerTriangular expected is_square=True: only square lower triangular operators "
                "supported; got is_square=False."
            )
        self._tril = _at_least("LinearOperatorLowerTriangular", "tril", tril, 2)
        super().__init__(
            self._tril.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"tril": tril},
        )

    @property
    def tril(self) -> Any:
        """The matrix it was made with."""
        return self._tril

    def _shape(self) -> tuple[int, ...]:
        return dims(self._tril)

    def _to_dense(self) -> Tensor:
        return diagonal.band_part(self._tril, -1, 0)

    def _diag_part(self) -> Tensor:
        return diagonal.diag_part(self._tril)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        return solving.triangular_solve(self._tril, rhs, lower=True, adjoint=adjoint)

    def _determinant(self) -> Tensor:
        return reduction.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Tensor:
        return reduction.reduce_sum(elementwise.log(arithmetic.abs(self._diag_part())), -1)

    def _eigvals(self) -> Tensor:
        return self._diag_part()

    def _linop_inverse(self) -> LinearOperator:
        columns = creation.eye(
            self.domain_dimension, batch_shape=self.batch_shape.as_list(), dtype=self.dtype
        )
        return LinearOperatorLowerTriangular(self._solve(columns), is_non_singular=True)
