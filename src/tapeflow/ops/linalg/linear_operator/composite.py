"""Operators made of others: products, Kronecker products, adjoints, inverses."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import shaping
from tapeflow.ops.linalg import diagonal
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, dims
from tapeflow.ops.math import arithmetic, elementwise


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


class _Joint(LinearOperator):
    """An operator made of several, in an order."""

    _operators: list[LinearOperator]

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators it was made of."""
        return self._operators

    @property
    def _are_square(self) -> bool:
        """Whether what is wanted of the whole can be put together from the same of each part."""
        return all(o.is_square for o in self._operators)

    def _batch(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*[dims(o)[:-2] for o in self._operators])


class LinearOperatorComposition(_Joint):
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

    def _shape(self) -> tuple[int, ...]:
        return (*self._batch(), self._operators[0].range_dimension, self._operators[-1].domain_dimension)

    def _matmul(self, x: Any, adjoint: bool = False) -> Tensor:
        for operator in self._operators if adjoint else reversed(self._operators):
            x = operator.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        if not self._are_square:
            return super()._solve(rhs, adjoint)
        for operator in reversed(self._operators) if adjoint else self._operators:
            rhs = operator.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self) -> Tensor:
        if not self._are_square:
            return super()._determinant()
        return functools.reduce(arithmetic.multiply, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Tensor:
        if not self._are_square:
            return super()._log_abs_determinant()
        return functools.reduce(arithmetic.add, [o.log_abs_determinant() for o in self._operators])

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorComposition(
            [o.adjoint() for o in reversed(self._operators)], is_non_singular=self.is_non_singular
        )

    def _linop_inverse(self) -> LinearOperator:
        if not self._are_square:
            return super()._linop_inverse()
        return LinearOperatorComposition(
            [o.inverse() for o in reversed(self._operators)], is_non_singular=True
        )


class LinearOperatorKronecker(_Joint):
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

    def _shape(self) -> Any:
        return (
            *self._batch(),
            math.prod(o.range_dimension for o in self._operators),
            math.prod(o.domain_dimension for o in self._operators),
        )

    def _along_each(self, method: str, x: TensorLike, adjoint: bool, is_forward: bool) -> Tensor:
        """Apply each factor along its own axis: the first axis is worked on and goes to the end, in turn."""
        batch = np.broadcast_shapes(dims(self)[:-2], dims(x)[:-2])
        x = shaping.broadcast_to(x, (*batch, *dims(x)[-2:]))
        for operator in self._operators:
            size = operator.domain_dimension if is_forward else operator.range_dimension
            x = shaping.reshape(x, (*batch, size, -1))
            x = diagonal.matrix_transpose(getattr(operator, method)(x, adjoint=adjoint))
        rows = self.range_dimension if is_forward else self.domain_dimension
        return diagonal.matrix_transpose(shaping.reshape(x, (*batch, -1, rows)))

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        return self._along_each("matmul", x, adjoint, not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        if not self._are_square:
            return super()._solve(rhs, adjoint)
        return self._along_each("solve", rhs, adjoint, not adjoint)

    def _shares(self) -> list[int]:
        """How often the determinant of each factor counts."""
        return [self.domain_dimension // max(o.domain_dimension, 1) for o in self._operators]

    def _determinant(self) -> Tensor:
        if not self._are_square:
            return super()._determinant()
        powers = [o.determinant() ** n for o, n in zip(self._operators, self._shares(), strict=True)]
        return functools.reduce(arithmetic.multiply, powers)

    def _log_abs_determinant(self) -> Tensor:
        if not self._are_square:
            return super()._log_abs_determinant()
        parts = [o.log_abs_determinant() * n for o, n in zip(self._operators, self._shares(), strict=True)]
        return functools.reduce(arithmetic.add, parts)

    def _trace(self) -> Tensor:
        if not self._are_square:
            return super()._trace()
        return functools.reduce(arithmetic.multiply, [o.trace() for o in self._operators])

    def _each(self, method: str, **hints: Any) -> LinearOperator:
        return LinearOperatorKronecker([getattr(o, method)() for o in self._operators], **hints)

    def _linop_adjoint(self) -> LinearOperator:
        return self._each("adjoint")

    def _linop_inverse(self) -> LinearOperator:
        return self._each("inverse") if self._are_square else super()._linop_inverse()

    def _linop_cholesky(self) -> LinearOperator:
        if not all(o._can_use_cholesky for o in self._operators):
            return super()._linop_cholesky()
        return self._each("cholesky")


class _Wrapped(LinearOperator):
    """An operator seen in another way, with the hints it implies."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(operator, LinearOperator):
            raise TypeError(f"{type(self).__name__} expected a LinearOperator; got operator={operator!r}.")
        self._operator = operator
        super().__init__(
            operator.dtype,
            None,
            operator.is_non_singular if is_non_singular is None else is_non_singular,
            operator.is_self_adjoint if is_self_adjoint is None else is_self_adjoint,
            operator.is_positive_definite if is_positive_definite is None else is_positive_definite,
            operator._is_square if is_square is None else is_square,
            name,
            {"operator": operator},
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator it was made of."""
        return self._operator


class LinearOperatorAdjoint(_Wrapped):
    """The conjugate transpose of an operator."""

    def _shape(self) -> Any:
        *batch, rows, columns = dims(self._operator)
        return (*batch, columns, rows)

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
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
        super().__init__(operator, True, is_self_adjoint, is_positive_definite, is_square, name)

    def _shape(self) -> tuple[int, ...]:
        return dims(self._operator)

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
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
