"""Products of operators that are simpler than a composition, and the method of conjugate gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import int32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import shaping
from tapeflow.ops.control.while_loop import while_loop
from tapeflow.ops.linalg import norm
from tapeflow.ops.linalg.linear_operator.composite import LinearOperatorComposition
from tapeflow.ops.linalg.linear_operator.dense import LinearOperatorLowerTriangular
from tapeflow.ops.linalg.linear_operator.diagonals import (
    Diagonal,
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator, dims
from tapeflow.ops.math import comparison, reduction
from tapeflow.ops.math.elementwise import conj


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two operators, of the simplest kind that it has."""
    if isinstance(left, LinearOperatorIdentity) and dims(left)[:-2] == ():
        return right
    if isinstance(right, LinearOperatorIdentity) and dims(right)[:-2] == ():
        return left
    batch = np.broadcast_shapes(dims(left)[:-2], dims(right)[:-2])
    if isinstance(left, LinearOperatorZeros) or isinstance(right, LinearOperatorZeros):
        rows, columns = left.range_dimension, right.domain_dimension
        return LinearOperatorZeros(rows, columns, batch, left.dtype, is_square=rows == columns)
    is_non_singular = True if left.is_non_singular and right.is_non_singular else None
    if isinstance(left, LinearOperatorScaledIdentity) and isinstance(right, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(
            left.range_dimension, left.multiplier * right.multiplier, is_non_singular
        )
    if isinstance(left, Diagonal) and isinstance(right, Diagonal):
        return LinearOperatorDiag(left.diag_part() * right.diag_part(), is_non_singular)
    kinds = (Diagonal, LinearOperatorLowerTriangular)
    if isinstance(left, kinds) and isinstance(right, kinds):
        return LinearOperatorLowerTriangular(left.matmul(right.to_dense()), is_non_singular)
    return LinearOperatorComposition([left, right])


class CGState(NamedTuple):
    """Where the iteration stands: its number, the solution, the residual, the direction, and the residual's size."""

    i: Tensor
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


def conjugate_gradient(
    operator: LinearOperator,
    rhs: TensorLike,
    preconditioner: LinearOperator | None = None,
    x: TensorLike | None = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """The x with A x = rhs, by products with A alone; A is self-adjoint and positive definite.

    Args:
        operator: A, with both promised.
        rhs: a vector, or a batch of them.
        preconditioner: an operator near the inverse of A.
        x: where to begin, at zero if not given.
        tol: how small the residual must become, relative to `rhs`.
        max_iter: the most steps to take.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError(
            "tf.linalg.experimental.conjugate_gradient expected a self-adjoint, positive definite operator; got "
            f"{operator!r}. Give it is_self_adjoint=True and is_positive_definite=True."
        )

    def dot(a: Tensor, b: Tensor) -> Tensor:
        return reduction.reduce_sum((conj(a) if a.dtype.is_complex else a) * b, -1)

    def improved(r: Tensor) -> Tensor:
        return r if preconditioner is None else preconditioner.matvec(r)

    right = convert_to_tensor(rhs, dtype_hint=operator.dtype)
    others = [dims(operator)[:-2], () if preconditioner is None else dims(preconditioner)[:-2]]
    shape = (*np.broadcast_shapes(right.spec.shape[:-1], *others), right.spec.shape[-1])
    residual = shaping.broadcast_to(right, shape)
    limit = tol * norm.norm(residual, axis=-1)
    start = residual * 0 if x is None else shaping.broadcast_to(convert_to_tensor(x, right.dtype), shape)
    residual = residual if x is None else residual - operator.matvec(start)
    direction = improved(residual)
    first = CGState(convert_to_tensor(0, int32), start, residual, direction, dot(residual, direction))

    def is_far(*state: Any) -> Tensor:
        i, _, r, _, _ = state
        return comparison.logical_and(i < max_iter, reduction.reduce_any(norm.norm(r, axis=-1) > limit))

    def step(i: Tensor, x: Tensor, r: Tensor, p: Tensor, gamma: Tensor) -> list[Tensor]:
        z = operator.matvec(p)
        alpha = shaping.expand_dims(gamma / dot(p, z), -1)
        r_next = r - alpha * z
        q = improved(r_next)
        gamma_next = dot(r_next, q)
        beta = shaping.expand_dims(gamma_next / gamma, -1)
        return [i + 1, x + alpha * p, r_next, q + beta * p, gamma_next]

    return CGState(*while_loop(is_far, step, list(first)))
