"""`LinearOperatorLowRankUpdate`: an operator plus a product of thin matrices."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.linalg import diagonal, products
from tapeflow.ops.linalg.linear_operator.dense import LinearOperatorFullMatrix
from tapeflow.ops.linalg.linear_operator.diagonals import LinearOperatorDiag, LinearOperatorIdentity
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, as_matrix, dims
from tapeflow.ops.math import arithmetic, reduction


class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator plus a product of thin matrices: L + U D V^H, solved with a small system (Woodbury's identity)."""

    def __init__(
        self,
        base_operator: LinearOperator,
        u: jax.Array | np.ndarray,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        self._base = base_operator
        self._u = as_matrix(u)
        self._v = self._u if v is None else as_matrix(v)
        rank = dims(self._u)[-1]
        self._update: LinearOperator = (
            LinearOperatorIdentity(rank, dtype=base_operator.dtype)
            if diag_update is None
            else LinearOperatorDiag(diag_update, is_positive_definite=is_diag_update_positive)
        )
        if dims(self._u)[-2] != base_operator.range_dimension or dims(self._v)[-2:] != dims(self._u)[-2:]:
            raise ValueError(
                "LinearOperatorLowRankUpdate expected u and v of shape [..., size, rank] for a base operator of that "
                f"size; got u of shape {self._u.shape}, v of shape {self._v.shape} for {base_operator.shape}."
            )
        if v is None:  # then the update has the properties of its diagonal
            if (
                base_operator.is_self_adjoint
                and is_self_adjoint is None
                and not base_operator.dtype.is_complex
            ):
                is_self_adjoint = True
            if base_operator.is_positive_definite and (diag_update is None or is_diag_update_positive):
                is_positive_definite = True if is_positive_definite is None else is_positive_definite
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        parameters = {"base_operator": base_operator, "u": u, "diag_update": diag_update, "v": v}
        super().__init__(base_operator.dtype, None, *hints, name, parameters)

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base

    @property
    def u(self) -> Any:
        """U."""
        return self._u

    @property
    def v(self) -> Any:
        """V."""
        return self._v

    @property
    def diag_operator(self) -> LinearOperator:
        """D, as an operator."""
        return self._update

    def _shape(self) -> tuple[int, ...]:
        parts = (self._base, self._u, self._v, self._update)
        batch = np.broadcast_shapes(*[dims(p)[:-2] for p in parts])
        return (*batch, *dims(self._base)[-2:])

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = self._update.matmul(products.matmul(right, x, adjoint_a=True), adjoint=adjoint)
        return self._base.matmul(x, adjoint=adjoint) + products.matmul(left, inner)

    def _capacitance(self) -> LinearOperator:
        """D^-1 + V^H L^-1 U, of the size of the rank."""
        small = products.matmul(self._v, self._base.solve(self._u), adjoint_a=True)
        return LinearOperatorFullMatrix(
            self._update.inverse().add_to_tensor(small),
            is_self_adjoint=True if self._can_use_cholesky else None,
            is_positive_definite=True if self._can_use_cholesky else None,
        )

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        first = self._base.solve(rhs, adjoint=adjoint)
        inner = self._capacitance().solve(products.matmul(right, first, adjoint_a=True), adjoint=adjoint)
        return first - self._base.solve(products.matmul(left, inner), adjoint=adjoint)

    def _determinant(self) -> Tensor:
        parts = (self._capacitance(), self._update, self._base)
        return functools.reduce(arithmetic.multiply, [p.determinant() for p in parts])

    def _log_abs_determinant(self) -> Tensor:
        parts = (self._capacitance(), self._update, self._base)
        return functools.reduce(arithmetic.add, [p.log_abs_determinant() for p in parts])

    def _diag_part(self) -> Tensor:
        scaled = self._update.matmul(diagonal.adjoint(self._v))
        outer = reduction.reduce_sum(self._u * diagonal.matrix_transpose(scaled), -1)
        return self._base.diag_part() + outer
