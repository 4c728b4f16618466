"""What all tables share: a dict from keys to values, and lookups of tensors in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor


def values_of(elements: list[Any], dtype: DType, shape: tuple[int, ...]) -> Tensor:
    """Python values as a tensor."""
    if dtype is string:
        array = np.empty(len(elements), object)
        array[:] = elements
    else:
        array = np.array(elements, dtype.as_numpy_dtype)
    return convert_to_tensor(array.reshape(shape), dtype)


class Table:
    """A table from keys of one dtype to values of another."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike, name: str) -> None:
        self._key_dtype, self._value_dtype, self._name = as_dtype(key_dtype), as_dtype(value_dtype), name
        self._known: dict[Any, Any] = {}

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys."""
        return convert_to_tensor(np.array(len(self._known), np.int64))

    def _keys(self, keys: TensorLike, where: str) -> Tensor:
        hint = self._key_dtype
        tensor = convert_to_tensor(keys, dtype_hint=None if hint is string else hint)
        if tensor.dtype is not self._key_dtype:
            raise TypeError(
                f"{where} expected keys of dtype {self._key_dtype.name}: dtype of argument `keys` must be "
                f"{self._key_dtype.name}; got {tensor.dtype.name}. Use tf.cast."
            )
        return tensor

    def _each(self, keys: TensorLike, found: Callable[[list[Any]], Tensor], where: str) -> Any:
        """A lookup of the elements of a tensor of any kind, in its shape."""
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(self._each(keys.flat_values, found, where))
        if isinstance(keys, SparseTensor):
            return keys.with_values(self._each(keys.values, found, where))
        tensor = self._keys(keys, where)
        array = np.asarray(tensor.numpy(), object if tensor.dtype is string else None)
        flat = found(array.reshape(-1).tolist())
        return reshape(flat, [*array.shape, *flat.shape[1:]])

    def __getitem__(self, keys: TensorLike) -> Any:
        return self.lookup(keys)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The value of each key."""
        raise NotImplementedError

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values."""
        keys = values_of(list(self._known), self._key_dtype, (len(self._known),))
        return keys, values_of(list(self._known.values()), self._value_dtype, (len(self._known),))
