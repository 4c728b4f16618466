"""`tensorflow.python.ops.gen_sparse_ops`: ops of sparse tensors on their parts."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeflow.engine.values.tensor import Tensor
from tapeflow.sparse import SparseTensor, reorder


class SparseReorder(NamedTuple):
    """What `sparse_reorder` gives."""

    output_indices: Tensor
    output_values: Tensor


def sparse_reorder(
    input_indices: Any, input_values: Any, input_shape: Any, name: str | None = None
) -> SparseReorder:
    """Coordinates in the order of rows, and their values."""
    ordered = reorder(SparseTensor(input_indices, input_values, input_shape))
    return SparseReorder(ordered.indices, ordered.values)
