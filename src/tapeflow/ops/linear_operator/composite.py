"""Operators made of others: products, Kronecker products, adjoints, inverses, updates of low rank."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeflow.engine.tensor import Tensor
from tapeflow.ops import arithmetic, diagonal, elementwise, products, reduction, shaping
from tapeflow.ops.linear_operator.dense import LinearOperatorFullMatrix
from tapeflow.ops.linear_operator.diagonals import LinearOperatorDiag, LinearOperatorIdentity
from tapeflow.ops.linear_operator.operator import LinearOperator, as_matrix, dims

Hints = tuple[bool | None, bool | None, bool | None, bool | None]


def read_operators(where: str, operators: Iterable[Any]) -> list[LinearOperator]:
    """A list of operators of one dtype."""
    found = list(operators)
    if not found or not all(isinstance(o, LinearOperator) for o in found):
        raise ValueError(f"{where} expected a non-empty list of operators; got operators={found!r}.")
    if len({o.dtype for o in found}) > 1:
        raise TypeError(
            f"{where} expected operators of one dtype: operators must have the same dtype; got "
            f"{[o.dtype.name for o in found]}."
        )
    return found


def promised(operators: Iterable[LinearOperator], hint: str, given: bool | None) -> bool | None:
    """A hint that all operators together imply, unless it is given."""
    return True if given is None and all(getattr(o, hint) for o in operators) else given


class LinearOperatorComposition(LinearOperator):
    """Operators one after the other: the product of their matrices."""

    def __init__(
        self,
        operators: Iterable[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operators = read_operators("LinearOperatorComposition", operators)
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            if left.domain_dimension != right.range_dimension:
                raise ValueError(
                    "LinearOperatorComposition expected operators whose inner dimensions agree; got shapes "
                    f"{left.shape} and {right.shape}."
                )
        is_non_singular = promised(self._operators, "is_non_singular", is_non_singular)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self._operators[0].dtype, None, *hints, name, {"operators": self._operators})

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators, the one applied last first."""
        return self._operators

    def _shape(self) -> Any:
        batch = np.broadcast_shapes(*[dims(o)[:-2] for o in self._operators])
        return (*batch, self._operators[0].range_dimension, self._operators[-1].domain_dimension)

    def _matmul(self, x: Any, adjoint: bool = False) -> Tensor:
        for operator in self._operators if adjoint else reversed(self._operators):
            x = operator.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._solve(rhs, adjoint)
        for operator in reversed(self._operators) if adjoint else self._operators:
            rhs = operator.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._determinant()
        return functools.reduce(arithmetic.multiply, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._log_abs_determinant()
        return functools.reduce(arithmetic.add, [o.log_abs_determinant() for o in self._operators])

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorComposition(
            [o.adjoint() for o in reversed(self._operators)], is_non_singular=self.is_non_singular
        )

    def _linop_inverse(self) -> LinearOperator:
        if not all(o.is_square for o in self._operators):
            return super()._linop_inverse()
        return LinearOperatorComposition(
            [o.inverse() for o in reversed(self._operators)], is_non_singular=True
        )


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators: every element of one times the whole of the next."""

    def __init__(
        self,
        operators: Iterable[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operators = read_operators("LinearOperatorKronecker", operators)
        is_non_singular = promised(self._operators, "is_non_singular", is_non_singular)
        is_self_adjoint = promised(self._operators, "is_self_adjoint", is_self_adjoint)
        if all(o.is_self_adjoint for o in self._operators):
            is_positive_definite = promised(self._operators, "is_positive_definite", is_positive_definite)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self._operators[0].dtype, None, *hints, name, {"operators": self._operators})

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self) -> Any:
        batch = np.broadcast_shapes(*[dims(o)[:-2] for o in self._operators])
        return (
            *batch,
            math.prod(o.range_dimension for o in self._operators),
            math.prod(o.domain_dimension for o in self._operators),
        )

    def _along_each(self, method: str, x: Any, adjoint: bool, is_forward: bool) -> Tensor:
        """Apply each factor along its own axis: the first axis is worked on and goes to the end, in turn."""
        batch = np.broadcast_shapes(dims(self)[:-2], dims(x)[:-2])
        x = shaping.broadcast_to(x, (*batch, *dims(x)[-2:]))
        for operator in self._operators:
            size = operator.domain_dimension if is_forward else operator.range_dimension
            x = shaping.reshape(x, (*batch, size, -1))
            x = diagonal.matrix_transpose(getattr(operator, method)(x, adjoint=adjoint))
        rows = self.range_dimension if is_forward else self.domain_dimension
        return diagonal.matrix_transpose(shaping.reshape(x, (*batch, -1, rows)))

    def _matmul(self, x: Any, adjoint: bool = False) -> Tensor:
        return self._along_each("matmul", x, adjoint, not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._solve(rhs, adjoint)
        return self._along_each("solve", rhs, adjoint, not adjoint)

    def _shares(self) -> list[int]:
        """How often the determinant of each factor counts."""
        return [self.domain_dimension // max(o.domain_dimension, 1) for o in self._operators]

    def _determinant(self) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._determinant()
        powers = [o.determinant() ** n for o, n in zip(self._operators, self._shares(), strict=True)]
        return functools.reduce(arithmetic.multiply, powers)

    def _log_abs_determinant(self) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._log_abs_determinant()
        parts = [o.log_abs_determinant() * n for o, n in zip(self._operators, self._shares(), strict=True)]
        return functools.reduce(arithmetic.add, parts)

    def _trace(self) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._trace()
        return functools.reduce(arithmetic.multiply, [o.trace() for o in self._operators])

    def _each(self, method: str, **hints: Any) -> LinearOperator:
        return LinearOperatorKronecker([getattr(o, method)() for o in self._operators], **hints)

    def _linop_adjoint(self) -> LinearOperator:
        return self._each("adjoint")

    def _linop_inverse(self) -> LinearOperator:
        return (
            self._each("inverse") if all(o.is_square for o in self._operators) else super()._linop_inverse()
        )

    def _linop_cholesky(self) -> LinearOperator:
        if not all(o._can_use_cholesky for o in self._operators):
            return super()._linop_cholesky()
        return self._each("cholesky")


class _Wrapped(LinearOperator):
    """An operator seen in another way, with the hints it implies."""

    def __init__(self, operator: LinearOperator, hints: Hints, name: str | None) -> None:
        if not isinstance(operator, LinearOperator):
            raise TypeError(f"{type(self).__name__} expected a LinearOperator; got operator={operator!r}.")
        self._operator = operator
        known = (
            operator.is_non_singular,
            operator.is_self_adjoint,
            operator.is_positive_definite,
            operator._is_square,
        )
        both = [k if h is None else h for h, k in zip(hints, known, strict=True)]
        super().__init__(
            operator.dtype, None, both[0], both[1], both[2], both[3], name, {"operator": operator}
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator it was made of."""
        return self._operator


class LinearOperatorAdjoint(_Wrapped):
    """The conjugate transpose of an operator."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(operator, (is_non_singular, is_self_adjoint, is_positive_definite, is_square), name)

    def _shape(self) -> Any:
        *batch, rows, columns = dims(self._operator)
        return (*batch, columns, rows)

    def _matmul(self, x: Any, adjoint: bool = False) -> Tensor:
        return self._operator.matmul(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        return self._operator.solve(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Tensor:
        return diagonal.adjoint(self._operator.to_dense())

    def _determinant(self) -> Tensor:
        found = self._operator.determinant()
        return elementwise.conj(found) if self.dtype.is_complex else found

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()

    def _linop_adjoint(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(_Wrapped):
    """The inverse of an operator: multiplying is solving."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if is_non_singular is False or getattr(operator, "is_non_singular", None) is False:
            raise ValueError(
                f"LinearOperatorInversion expected an operator that has an inverse: it is always non-singular; got "
                f"{operator!r}."
            )
        super().__init__(operator, (True, is_self_adjoint, is_positive_definite, is_square), name)

    def _shape(self) -> Any:
        return dims(self._operator)

    def _matmul(self, x: Any, adjoint: bool = False) -> Tensor:
        return self._operator.solve(x, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        return self._operator.matmul(rhs, adjoint=adjoint)

    def _determinant(self) -> Tensor:
        return 1 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -self._operator.log_abs_determinant()

    def _eigvals(self) -> Tensor:
        return 1 / self._operator.eigvals()

    def _linop_inverse(self) -> LinearOperator:
        return self._operator


class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator plus a product of thin matrices: L + U D V^H, solved with a small system (Woodbury's identity)."""

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
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

    def _shape(self) -> Any:
        parts = (self._base, self._u, self._v, self._update)
        batch = np.broadcast_shapes(*[dims(p)[:-2] for p in parts])
        return (*batch, *dims(self._base)[-2:])

    def _matmul(self, x: Any, adjoint: bool = False) -> Tensor:
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

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
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
