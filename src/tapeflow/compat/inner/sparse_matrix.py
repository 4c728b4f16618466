"""`tensorflow.python.ops.linalg.sparse`: matrices, or batches of them, whose product may be of two sparse ones."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.linalg import matmul as _matmul
from tapeflow.sparse import SparseTensor, from_dense, to_dense


class CSRSparseMatrix:
    """A sparse matrix or a batch of them; it is kept by coordinates, whatever its name says."""

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        self._sparse = value if isinstance(value, SparseTensor) else from_dense(convert_to_tensor(value))

    @property
    def shape(self) -> Any:
        """Its shape."""
        return self._sparse.shape

    @property
    def dtype(self) -> Any:
        """Its dtype."""
        return self._sparse.dtype

    def to_dense(self) -> Tensor:
        """With its zeros."""
        return to_dense(self._sparse)

    def to_sparse_tensor(self) -> SparseTensor:
        """The same by coordinates."""
        return self._sparse


def matmul(a: Any, b: Any, **transposed: Any) -> Tensor | CSRSparseMatrix:
    """The product, calculated with zeros; sparse if both are.

    Args:
        a: a matrix or a batch of them, sparse or not.
        b: another one.
        **transposed: `transpose_a`, `adjoint_b` and so on, as for `tf.linalg.matmul`.
    """
    product = _matmul(_dense(a), _dense(b), **transposed)
    if isinstance(a, CSRSparseMatrix) and isinstance(b, CSRSparseMatrix):
        return CSRSparseMatrix(from_dense(product))
    return product


def _dense(value: Any) -> Tensor:
    return value.to_dense() if isinstance(value, CSRSparseMatrix) else convert_to_tensor(value)
