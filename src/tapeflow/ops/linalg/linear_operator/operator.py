"""`LinearOperator`: the base class of matrices that are known by what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.module import Module
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array import creation, shaping
from tapeflow.ops.debugging.assertion import assert_equal, assert_less, assert_positive
from tapeflow.ops.host_args import describe
from tapeflow.ops.linalg import diagonal, factorization, products, solving
from tapeflow.ops.math import arithmetic, elementwise, reduction
from tapeflow.ops.math.casting import cast


def as_matrix(value: TensorLike) -> Tensor | Variable:
    """What an operator is made of: a Variable as it is, anything else as a tensor."""
    return value if isinstance(value, Variable) else convert_to_tensor(value)


def dims(value: Any) -> tuple[int, ...]:
    """A shape as a tuple."""
    return tuple(value.shape.as_list())


def broadcast_batch(value: TensorLike, batch: tuple[int, ...], inner: int = 2) -> Tensor:
    """A tensor whose outer dimensions are stretched to those of a batch; its last `inner` ones stay."""
    tensor = convert_to_tensor(value)
    shape = tensor.spec.shape
    wanted = (*np.broadcast_shapes(shape[: len(shape) - inner], batch), *shape[len(shape) - inner :])
    return tensor if wanted == shape else shaping.broadcast_to(tensor, wanted)


class LinearOperator(DispatchTarget, Module):
    """A matrix, or a batch of them, that is multiplied and solved without being written out.

    A subclass gives `_shape()` and `_matmul(x, adjoint=False)`, or `_to_dense()` instead of the latter, and overrides
    what it can do better: `_solve`, `_determinant`, `_log_abs_determinant`, `_diag_part`, `_trace`, `_eigvals`, ...

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.matvec([3.0, 4.0]).numpy().tolist(), float(operator.determinant())
    ([3.0, 8.0], 2.0)

    Args:
        dtype: of the operator and what it is applied to.
        graph_parents: ignored.
        is_non_singular: a promise that it has an inverse. Nothing checks it; methods choose by it.
        is_self_adjoint: a promise that it equals its conjugate transpose.
        is_positive_definite: a promise that x^H A x is positive; with the one above Cholesky's factors are used.
        is_square: whether it has as many rows as columns; found out if not given.
        name: for messages.
        parameters: what `parameters` tells.
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_parameters"})

    def __init__(
        self,
        dtype: DTypeLike,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(name or type(self).__name__)
        is_non_singular = _implied(is_positive_definite, is_non_singular, "positive definite", "non-singular")
        is_square = _implied(is_non_singular, is_square, "non-singular", "square")
        self._is_square = _implied(is_self_adjoint, is_square, "self-adjoint", "square")
        self._dtype = as_dtype(dtype)
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = dict(parameters or {})

    # What it is

    @property
    def dtype(self) -> DType:
        """The dtype of the operator and of what it is applied to."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with."""
        return dict(self._parameters)

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it is promised to have an inverse."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is promised to equal its conjugate transpose."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether it is promised to be positive definite."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool:
        """Whether it has as many rows as columns."""
        is_found = self.domain_dimension == self.range_dimension
        if self._is_square is False and is_found:
            raise ValueError(
                f"{self.name} expected an operator that is not square; got shape {self.shape} with is_square=False. "
                "Leave the hint out."
            )
        return is_found if self._is_square is None else self._is_square

    def _shape(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._shape is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The shape: that of the batch, the rows and the columns."""
        return TensorShape(self._shape())

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without rows and columns."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int:
        """How many dimensions the operator has, with those of the batch."""
        return len(self.shape)

    @property
    def domain_dimension(self) -> int:
        """How many columns it has: the length of vectors it takes."""
        return dims(self)[-1]

    @property
    def range_dimension(self) -> int:
        """How many rows it has: the length of vectors it gives."""
        return dims(self)[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape as a tensor."""
        return _numbers(self.shape.as_list())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the batch as a tensor."""
        return _numbers(self.batch_shape.as_list())

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """The rank as a tensor."""
        return _numbers(self.tensor_rank)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """The number of columns as a tensor."""
        return _numbers(self.domain_dimension)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """The number of rows as a tensor."""
        return _numbers(self.range_dimension)

    # What it does

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        if type(self)._to_dense is LinearOperator._to_dense:
            raise NotImplementedError(
                f"{type(self).__name__} expected _matmul or _to_dense; neither is implemented."
            )
        return products.matmul(self._to_dense(), x, adjoint_a=adjoint)

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The operator, or with `adjoint` its conjugate transpose, times a matrix or another operator."""
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            if left.domain_dimension != right.range_dimension:
                raise ValueError(
                    f"LinearOperator.matmul expected operators whose inner dimensions agree; got shapes {left.shape} "
                    f"and {right.shape}: operators are incompatible."
                )
            from tapeflow.ops.linalg.linear_operator.algebra import product  # cycle

            return product(left, right)
        right = self._checked(
            "matmul", x, self.range_dimension if adjoint else self.domain_dimension, adjoint_arg
        )
        return self._matmul(right, adjoint=adjoint)

    def __matmul__(self, other: object) -> Any:
        return self.matmul(other)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The operator times a vector, or a batch of them."""
        return self._of_vector(self.matmul, x, adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        dense = self.to_dense()
        batch = np.broadcast_shapes(dims(dense)[:-2], dims(rhs)[:-2])
        right = broadcast_batch(rhs, batch)
        if self._can_use_cholesky:
            return solving.cholesky_solve(broadcast_batch(factorization.cholesky(dense), batch), right)
        return solving.solve(broadcast_batch(dense, batch), right, adjoint)

    def solve(
        self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Tensor:
        """The x with A x = rhs, for a matrix or another operator."""
        if self.is_non_singular is False or not self.is_square:
            raise NotImplementedError(
                f"LinearOperator.solve expected an operator that is square and may have an inverse: exact solve not "
                f"implemented for an operator that is expected to be singular; got {self!r}."
            )
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            return left.inverse().matmul(rhs, adjoint_arg=adjoint_arg)
        return self._solve(self._checked("solve", rhs, self.range_dimension, adjoint_arg), adjoint=adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The x with A x = rhs, for a vector or a batch of them."""
        return self._of_vector(self.solve, rhs, adjoint)

    def _of_vector(self, function: Callable[..., Any], x: TensorLike, adjoint: bool) -> Tensor:
        column = shaping.expand_dims(self._taken(x), -1)
        return shaping.squeeze(function(column, adjoint=adjoint), -1)

    def _taken(self, value: TensorLike) -> Tensor:
        """An argument as a tensor: numbers take the operator's dtype, arrays keep their own."""
        return convert_to_tensor(value, dtype_hint=None if isinstance(value, np.ndarray) else self.dtype)

    def _checked(self, what: str, value: TensorLike, rows: int, is_turned: bool) -> Tensor:
        tensor = self._taken(value)
        if tensor.dtype is not self.dtype:
            raise TypeError(
                f"LinearOperator.{what} expected an argument of dtype {self.dtype.name}, the operator's: argument "
                f"must have dtype {self.dtype.name}; got {describe(tensor)}. Use tf.cast."
            )
        turned = diagonal.adjoint(tensor) if is_turned else tensor
        if turned.ndim < 2 or turned.spec.shape[-2] != rows:
            raise ValueError(
                f"LinearOperator.{what} expected {rows} rows: dimensions are not compatible; got an argument "
                f"{describe(turned)} for an operator of shape {self.shape}."
            )
        return turned

    # What is known of it

    @property
    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _only_square(self, what: str) -> None:
        if not self.is_square:
            raise NotImplementedError(
                f"LinearOperator.{what} expected a square operator: determinant not implemented for an operator that "
                f"is expected to not be square; got shape {self.shape}."
            )

    def _determinant(self) -> Tensor:
        if self._can_use_cholesky:
            return elementwise.exp(self.log_abs_determinant())
        return solving.det(self.to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant."""
        self._only_square("determinant")
        return self._determinant()

    def _log_abs_determinant(self) -> Tensor:
        if self._can_use_cholesky:
            factor = diagonal.diag_part(factorization.cholesky(self.to_dense()))
            return 2 * reduction.reduce_sum(elementwise.log(arithmetic.abs(factor)), -1)
        return solving.slogdet(self.to_dense()).log_abs_determinant

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the determinant's magnitude."""
        self._only_square("log_abs_determinant")
        return cast(self._log_abs_determinant(), self.dtype)

    def _to_dense(self) -> Tensor:
        columns = creation.eye(
            self.domain_dimension, batch_shape=self.batch_shape.as_list(), dtype=self.dtype
        )
        return self._matmul(columns)

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrix written out."""
        return self._to_dense()

    def _diag_part(self) -> Tensor:
        return diagonal.diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The diagonal."""
        return self._diag_part()

    def _trace(self) -> Tensor:
        return reduction.reduce_sum(self.diag_part(), -1)

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the diagonal."""
        return self._trace()

    def _add_to_tensor(self, x: Any) -> Tensor:
        return self.to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The matrix added to a tensor."""
        return self._add_to_tensor(convert_to_tensor(x, dtype_hint=self.dtype))

    def _eigvals(self) -> Tensor:
        return factorization.eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues, of an operator that is promised to be self-adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError(
                "LinearOperator.eigvals expected is_self_adjoint=True: only self-adjoint matrices are supported; got "
                f"{self!r}. Use tf.linalg.eigvals(operator.to_dense())."
            )
        return self._eigvals()

    def _cond(self) -> Tensor:
        if self.is_self_adjoint:
            sizes = arithmetic.abs(self.eigvals())
        else:
            sizes = factorization.svd(self.to_dense(), compute_uv=False)
        return reduction.reduce_max(sizes, -1) / reduction.reduce_min(sizes, -1)

    def cond(self, name: str = "cond") -> Tensor:
        """The condition number: by how much a solution may be further off than what it is solved for."""
        return self._cond()

    # Operators made of it

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The conjugate transpose, as an operator."""
        return self if self.is_self_adjoint else self._linop_adjoint()

    H = property(adjoint)

    def _linop_adjoint(self) -> LinearOperator:
        from tapeflow.ops.linalg.linear_operator.composite import LinearOperatorAdjoint  # cycle

        return LinearOperatorAdjoint(self)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse, as an operator."""
        if self.is_non_singular is False or not self.is_square:
            raise ValueError(
                "LinearOperator.inverse expected a square operator that may have an inverse: cannot take the Inverse "
                f"of a singular or non-square one; got {self!r}."
            )
        return self._linop_inverse()

    def _linop_inverse(self) -> LinearOperator:
        from tapeflow.ops.linalg.linear_operator.composite import LinearOperatorInversion  # cycle

        return LinearOperatorInversion(self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Cholesky's factor, as an operator; of one promised to be self-adjoint and positive definite."""
        if not self._can_use_cholesky:
            raise ValueError(
                "LinearOperator.cholesky expected is_self_adjoint=True and is_positive_definite=True: cannot take the "
                f"Cholesky decomposition of another matrix; got {self!r}."
            )
        return self._linop_cholesky()

    def _linop_cholesky(self) -> LinearOperator:
        from tapeflow.ops.linalg.linear_operator.dense import LinearOperatorLowerTriangular  # cycle

        return LinearOperatorLowerTriangular(
            factorization.cholesky(self.to_dense()),
            is_non_singular=True,
            is_self_adjoint=False,
            is_square=True,
        )

    # Promises kept

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raise unless it has an inverse, by its condition number."""
        size = max(100, self.domain_dimension, self.range_dimension)
        kind: Any = self.dtype.real_dtype.as_numpy_dtype
        limit = 1 / (size * float(np.finfo(kind).eps))
        assert_less(self.cond(), np.asarray(limit, kind), message="Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raise unless it is positive definite; for operators promised to be self-adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError(
                "LinearOperator.assert_positive_definite expected is_self_adjoint=True; got "
                f"{self!r}: assert_positive_definite is not implemented for others."
            )
        assert_positive(elementwise.real(self.eigvals()), message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raise unless it equals its conjugate transpose."""
        dense = self.to_dense()
        assert_equal(dense, diagonal.adjoint(dense), message="Matrix was not equal to its adjoint.")

    # Calls of tf.linalg

    def keep_call(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[Any, Any]) -> Any:
        method = _METHODS.get(function.__name__)
        if method is None or not (args and args[0] is self):
            raise TypeError(
                f"tf.{function.__name__} expected tensors; got the operator {self!r}. Use its methods, or to_dense()."
            )
        return method(self, *args[1:], **kwargs)

    def _why_no_array(self) -> str:
        return f"An array was expected; got the operator {self!r}. Use operator.to_dense()."

    def __repr__(self) -> str:
        return f"<{type(self).__name__} shape={self.shape}, dtype={self.dtype.name}>"


_METHODS: dict[str, Callable[..., Any]] = {
    "adjoint": LinearOperator.adjoint,
    "cholesky": LinearOperator.cholesky,
    "det": LinearOperator.determinant,
    "diag_part": LinearOperator.diag_part,
    "eigvalsh": LinearOperator.eigvals,
    "inv": LinearOperator.inverse,
    "logdet": LinearOperator.log_abs_determinant,
    "matmul": lambda operator, x, adjoint_a=False, adjoint_b=False: operator.matmul(x, adjoint_a, adjoint_b),
    "matvec": lambda operator, x, adjoint_a=False: operator.matvec(x, adjoint_a),
    "solve": LinearOperator.solve,
    "trace": LinearOperator.trace,
}
"""What functions of `tf.linalg` do with an operator as their first argument."""


def _implied(given: bool | None, other: bool | None, name: str, result: str) -> bool | None:
    """A hint that follows from another, or an error if it is denied."""
    if given and other is False:
        raise ValueError(
            f"LinearOperator expected hints that agree: a {name} matrix is always {result}; got one hint as True and "
            "the other as False."
        )
    return True if given else other


def _numbers(value: object) -> Tensor:
    return convert_to_tensor(np.array(value, np.int32))
