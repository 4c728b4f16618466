"""Tables that change: `MutableHashTable` and `DenseHashTable`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.lookup.table import Table, values_of
from tapeflow.ops.host_args import invalid


class MutableHashTable(Table):
    """A table with keys that can be inserted and removed; a value may be a tensor.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.lookup(["b", "z"]).numpy()
    array([ 2, -1])
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, name)
        self._default = convert_to_tensor(default_value, self._value_dtype)

    @property
    def _where(self) -> str:
        return f"tf.lookup.experimental.{type(self).__name__}"

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> None:
        """Give keys their values, new or in place of others."""
        where = f"{self._where}.insert"
        tensor = self._keys(keys, where)
        given = convert_to_tensor(values, self._value_dtype)
        shape = [*tensor.shape.as_list(), *self._default.shape.as_list()]
        if given.shape.as_list() != shape:
            raise invalid(
                f"{where} expected values of shape {shape}, one for each key: got values of shape {given.shape}."
            )
        kind = object if self._value_dtype is string else None
        rows = np.asarray(given.numpy(), kind).reshape(-1, *self._default.shape.as_list())
        for key, row in zip(self._flat(tensor), rows, strict=True):
            self._check_key(key, where)
            self._known[key] = row

    def _check_key(self, key: object, where: str) -> None:
        """Raise if a key cannot be in the table."""

    def _flat(self, tensor: Tensor) -> list[Any]:
        return np.asarray(tensor.numpy(), object if tensor.dtype is string else None).reshape(-1).tolist()

    def remove(self, keys: TensorLike, name: str | None = None) -> None:
        """Take keys out; those that are not there do not matter."""
        for key in self._flat(self._keys(keys, f"{self._where}.remove")):
            self._known.pop(key, None)

    def erase(self, keys: TensorLike, name: str | None = None) -> None:
        """Take keys out."""
        self.remove(keys)

    def lookup(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, keys: TensorLike, dynamic_default_values: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """The value of each key; for others the default, or their own of `dynamic_default_values`."""
        where = f"{self._where}.lookup"
        inner = self._default.spec.shape
        kind = object if self._value_dtype is string else None
        if dynamic_default_values is None:
            defaults = None
        else:
            given = convert_to_tensor(dynamic_default_values, self._value_dtype)
            defaults = np.asarray(given.numpy(), kind).reshape(-1, *inner)
        default = np.asarray(self._default.numpy(), kind)

        def found(flat: list[Any]) -> Tensor:
            rows = [
                self._known.get(k, default if defaults is None else defaults[i]) for i, k in enumerate(flat)
            ]
            if not inner:
                plain = [r.item() if isinstance(r, np.ndarray) else r for r in rows]
                return values_of(plain, self._value_dtype, (len(flat),))
            stacked = np.stack(rows) if rows else np.empty((0, *inner), self._value_dtype.as_numpy_dtype)
            return convert_to_tensor(stacked, self._value_dtype)

        return self._each(keys, found, where)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values."""
        keys = values_of(list(self._known), self._key_dtype, (len(self._known),))
        return keys, self.lookup(keys)


class DenseHashTable(MutableHashTable):
    """A table whose keys are inserted and removed, without two marks that no key may be."""

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name)
        marks = [convert_to_tensor(k, self._key_dtype) for k in (empty_key, deleted_key)]
        self._marks = [m for mark in marks for m in self._flat(mark)]
        if self._marks[0] == self._marks[1]:
            raise invalid(f"{self._where} expected different empty_key and deleted_key; got {self._marks}.")

    def _check_key(self, key: object, where: str) -> None:
        if key in self._marks:
            raise invalid(
                f"{where} expected keys other than empty_key and deleted_key: using them as a table key is not "
                f"allowed; got {key!r}."
            )
