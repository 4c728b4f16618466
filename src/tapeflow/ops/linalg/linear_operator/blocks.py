"""Operators in blocks: `LinearOperatorBlockDiag`, `LinearOperatorBlockLowerTriangular`.

What they are applied to may be one matrix, or a list with a matrix for each block; the answer is of the same kind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import joining, shaping
from tapeflow.ops.linalg import diagonal
from tapeflow.ops.linalg.linear_operator.composite import promised, read_operators
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, broadcast_batch, dims
from tapeflow.ops.math import arithmetic


def _joined(parts: Sequence[Any], axis: int = -2, inner: int = 2) -> Tensor:
    """Parts of several batches as one."""
    batch = np.broadcast_shapes(*[dims(p)[: len(dims(p)) - inner] for p in parts])
    return joining.concat([broadcast_batch(p, batch, inner) for p in parts], axis)


class Blocks(LinearOperator):
    """What operators in blocks share: `_rows` of blocks, and arguments that may come in parts."""

    _rows: list[list[LinearOperator]]

    def _diagonal_blocks(self) -> list[LinearOperator]:
        return [row[-1] for row in self._rows]

    def _sizes(self, adjoint: bool) -> list[int]:
        return [b.range_dimension if adjoint else b.domain_dimension for b in self._diagonal_blocks()]

    def _shape(self) -> tuple[int, ...]:
        batch = np.broadcast_shapes(*[dims(b)[:-2] for row in self._rows for b in row])
        return (*batch, sum(self._sizes(True)), sum(self._sizes(False)))

    def _in_parts(
        self, function: Callable[..., Any], x: Any, adjoint: bool, adjoint_arg: bool
    ) -> list[Tensor]:
        """`function` of parts put together, taken apart again."""
        whole = _joined([diagonal.adjoint(part) if adjoint_arg else self._taken(part) for part in x])
        return joining.split(function(whole, adjoint=adjoint), self._sizes(not adjoint), -2)

    def matmul(
        self, x: Sequence[np.ndarray], adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> list[Tensor]:
        if self._is_parts(x):
            return self._in_parts(super().matmul, x, adjoint, adjoint_arg)
        return super().matmul(x, adjoint, adjoint_arg)

    def solve(
        self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        if self._is_parts(rhs):
            return self._in_parts(super().solve, rhs, adjoint, adjoint_arg)
        return super().solve(rhs, adjoint, adjoint_arg)

    def _is_parts(self, x: TensorLike) -> bool:
        """Whether an argument is a list with a matrix, or for vectors a vector, for each block."""
        return isinstance(x, (list, tuple)) and len(x) == len(self._rows) and np.ndim(x[0]) > 1

    def _of_vector(self, function: Callable[..., Any], x: TensorLike, adjoint: bool) -> Any:
        if isinstance(x, (list, tuple)) and len(x) == len(self._rows) and np.ndim(x[0]) > 0:
            found = function([shaping.expand_dims(part, -1) for part in x], adjoint=adjoint)
            return [shaping.squeeze(part, -1) for part in found]
        return super()._of_vector(function, x, adjoint)

    def _determinant(self) -> Tensor:
        return functools.reduce(arithmetic.multiply, [b.determinant() for b in self._diagonal_blocks()])

    def _log_abs_determinant(self) -> Tensor:
        return functools.reduce(arithmetic.add, [b.log_abs_determinant() for b in self._diagonal_blocks()])

    def _diag_part(self) -> Tensor:
        if not all(b.is_square for b in self._diagonal_blocks()):
            return super()._diag_part()
        return _joined([b.diag_part() for b in self._diagonal_blocks()], -1, 1)

    def _eigvals(self) -> Tensor:
        return _joined([b.eigvals() for b in self._diagonal_blocks()], -1, 1)


class LinearOperatorBlockDiag(Blocks):
    """Operators along the diagonal, zeros elsewhere."""

    def __init__(
        self,
        operators: Iterable[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        self._operators = read_operators("LinearOperatorBlockDiag", operators)
        self._rows = [[o] for o in self._operators]
        is_non_singular = promised(self._operators, "is_non_singular", is_non_singular)
        is_self_adjoint = promised(self._operators, "is_self_adjoint", is_self_adjoint)
        is_positive_definite = promised(self._operators, "is_positive_definite", is_positive_definite)
        if not all(o.is_square for o in self._operators):
            is_square = None
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self._operators[0].dtype, None, *hints, name, {"operators": self._operators})

    @property
    def operators(self) -> list[LinearOperator]:
        """The blocks."""
        return self._operators

    def _each(self, method: str, x: Tensor, sizes: list[int], adjoint: bool) -> Tensor:
        parts = joining.split(x, sizes, -2)
        found = [getattr(o, method)(p, adjoint=adjoint) for o, p in zip(self._operators, parts, strict=True)]
        return _joined(found)

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._each("matmul", x, self._sizes(adjoint), adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._each("solve", rhs, self._sizes(not adjoint), adjoint)

    def _trace(self) -> Tensor:
        return functools.reduce(arithmetic.add, [o.trace() for o in self._operators])

    def _blockwise(self, method: str) -> LinearOperator:
        return LinearOperatorBlockDiag(
            [getattr(o, method)() for o in self._operators], is_square=self._is_square
        )

    def _linop_adjoint(self) -> LinearOperator:
        return self._blockwise("adjoint")

    def _linop_inverse(self) -> LinearOperator:
        return self._blockwise("inverse")

    def _linop_cholesky(self) -> LinearOperator:
        if not all(o._can_use_cholesky for o in self._operators):
            return super()._linop_cholesky()
        return self._blockwise("cholesky")


class LinearOperatorBlockLowerTriangular(Blocks):
    """Operators on the diagonal and below it: `[[A], [B, C], [D, E, F]]`."""

    def __init__(
        self,
        operators: Iterable[Iterable[LinearOperator]],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        where = "LinearOperatorBlockLowerTriangular"
        self._rows = [read_operators(where, row) for row in operators]
        read_operators(where, [block for row in self._rows for block in row])
        self._check(where)
        is_non_singular = promised(self._diagonal_blocks(), "is_non_singular", is_non_singular)
        hints = (
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True if is_square is None else is_square,
        )
        super().__init__(self._rows[0][0].dtype, None, *hints, name, {"operators": self._rows})

    def _check(self, where: str) -> None:
        columns = [row[-1].domain_dimension for row in self._rows]
        for number, row in enumerate(self._rows):
            sizes = {b.range_dimension for b in row}
            if (
                len(row) != number + 1
                or len(sizes) > 1
                or [b.domain_dimension for b in row] != columns[: len(row)]
            ):
                raise ValueError(
                    f"{where} expected rows of one, two, three ... blocks that fit, with square blocks on the "
                    f"diagonal; got shapes {[str(b.shape) for b in row]} in row {number}."
                )
            if not row[-1].is_square:
                raise ValueError(
                    f"{where} expected square blocks on the diagonal: diagonal blocks must be square; got shape "
                    f"{row[-1].shape} in row {number}."
                )

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The blocks, row by row."""
        return self._rows

    def _matmul(self, x: TensorLike, adjoint: bool = False) -> Tensor:
        parts = joining.split(x, self._sizes(adjoint), -2)
        count = len(self._rows)
        found = []
        for i in range(count):
            others = range(i, count) if adjoint else range(i + 1)
            terms = [self._rows[j][i] if adjoint else self._rows[i][j] for j in others]
            products = [t.matmul(parts[j], adjoint=adjoint) for t, j in zip(terms, others, strict=True)]
            found.append(functools.reduce(arithmetic.add, products))
        return _joined(found)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Tensor:
        """One block after the other, from the corner that has a block alone."""
        parts = list(joining.split(rhs, self._sizes(not adjoint), -2))
        count = len(self._rows)
        solved: dict[int, Any] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            right = parts[i]
            for j, known in solved.items():
                block = self._rows[j][i] if adjoint else self._rows[i][j]
                right = right - block.matmul(known, adjoint=adjoint)
            solved[i] = self._rows[i][i].solve(right, adjoint=adjoint)
        return _joined([solved[i] for i in range(count)])
