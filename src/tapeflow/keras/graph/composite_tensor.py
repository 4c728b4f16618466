"""Symbols for ragged and sparse tensors: `Input(ragged=True)`, `Input(sparse=True)` and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.ops.ragged.spec import RaggedTensorSpec
from tapeflow.ops.sparse.tensor import SparseTensorSpec

RAGGED_PROPERTIES = ("values", "flat_values", "row_splits", "nested_row_splits")
RAGGED_METHODS = (
    "value_rowids", "nested_value_rowids", "nrows", "row_starts", "row_limits", "row_lengths",
    "nested_row_lengths", "bounding_shape", "with_values", "with_flat_values", "with_row_splits_dtype",
    "merge_dims", "to_tensor", "to_sparse",
)  # fmt: skip
SPARSE_PROPERTIES = ("indices", "values", "dense_shape")
SPARSE_METHODS = ("with_values",)


class RaggedKerasTensor(KerasTensor):
    """Stands for a ragged tensor. What one has and can do, it has and can do: as a call to be made later."""

    ragged_rank: int = 1

    @property
    def type_spec(self) -> RaggedTensorSpec:
        """Shape, dtype and the number of ragged dimensions."""
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank)


class SparseKerasTensor(KerasTensor):
    """Stands for a sparse tensor."""

    @property
    def type_spec(self) -> SparseTensorSpec:
        """Shape and dtype."""
        return SparseTensorSpec(self.shape, self.dtype)


def symbol_like(type_spec: Any, *args: Any) -> KerasTensor:
    """A symbol for what a spec describes.

    Args:
        type_spec: a TensorSpec, RaggedTensorSpec or SparseTensorSpec.
        *args: the symbol's name, node and index.
    """
    if isinstance(type_spec, RaggedTensorSpec):
        ragged = RaggedKerasTensor(type_spec.shape, type_spec.dtype, *args)
        ragged.ragged_rank = type_spec.ragged_rank
        return ragged
    made = SparseKerasTensor if isinstance(type_spec, SparseTensorSpec) else KerasTensor
    return made(type_spec.shape, type_spec.dtype, *args)


def _property(name: str) -> property:
    def ask(self: KerasTensor) -> Any:
        return self._calls.ask(self, name)

    return property(ask)


def _method(name: str) -> Callable[..., Any]:
    def ask(self: KerasTensor, *args: Any, **kwargs: Any) -> Any:
        return self._calls.method(self, name, args, kwargs)

    ask.__name__ = name
    return ask


for _kind, _properties, _methods in (
    (RaggedKerasTensor, RAGGED_PROPERTIES, RAGGED_METHODS),
    (SparseKerasTensor, SPARSE_PROPERTIES, SPARSE_METHODS),
):
    for _name in _properties:
        setattr(_kind, _name, _property(_name))
    for _name in _methods:
        setattr(_kind, _name, _method(_name))
