"""Lookup tables of graphs: a default comes with each lookup, and one op or another fills them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.dtypes import DType
from tapeflow.lookup.table import Table, values_of
from tapeflow.saved_model.interpreter.kernels import GraphError

_WHOLE_LINE, _LINE_NUMBER = -2, -1
_MOST_BYTES = 1 << 30


class GraphTable(Table):
    """A table of a graph.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        inner: the shape of a value.
    """

    def __init__(self, key_dtype: DType, value_dtype: DType, inner: list[int | None]) -> None:
        super().__init__(key_dtype, value_dtype, "table")
        self._inner = [n or 0 for n in inner]

    def replace(self, keys: Any, values: Any) -> None:
        """Hold these keys and no others."""
        self._known.clear()
        self.insert(keys, values)

    def insert(self, keys: Any, values: Any) -> None:
        """Give keys their values."""
        rows = np.asarray(values.numpy(), object if self.value_dtype == tf.string else None)
        self.fill(
            _flat(keys), list(rows.reshape(-1, *self._inner)) if self._inner else rows.reshape(-1).tolist()
        )

    def fill(self, keys: list[Any], values: list[Any]) -> None:
        """Give keys their values, as Python objects."""
        if len(keys) != len(values):
            raise GraphError(f"a table is given {len(keys)} keys and {len(values)} values")
        self._known.update(zip(keys, values, strict=True))

    def remove(self, keys: Any) -> None:
        """Take keys out."""
        for key in _flat(keys):
            self._known.pop(key, None)

    def find(self, keys: Any, default: Any) -> Any:
        """The value of each key, or the default, in the shape of the keys."""
        kind = object if self.value_dtype == tf.string else None
        missing = np.asarray(default.numpy(), kind)
        other = missing.reshape(-1)[0] if not self._inner else missing

        def found(flat: list[Any]) -> Any:
            rows = [self._known.get(k, other) for k in flat]
            if not self._inner:
                return values_of(rows, self.value_dtype, (len(flat),))
            stacked = np.stack(rows) if rows else np.empty((0, *self._inner), self.value_dtype.as_numpy_dtype)
            return tf.constant(stacked, self.value_dtype)

        return self._each(keys, found, "a lookup in a loaded table")

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """All keys and their values."""
        keys = values_of(list(self._known), self.key_dtype, (len(self._known),))
        if not self._inner:
            return keys, values_of(list(self._known.values()), self.value_dtype, (len(self._known),))
        return keys, tf.constant(np.stack(list(self._known.values())), self.value_dtype)


def _flat(keys: Any) -> list[Any]:
    return np.asarray(keys.numpy(), object if keys.dtype == tf.string else None).reshape(-1).tolist()


def file_rows(
    path: bytes,
    key_dtype: DType,
    value_dtype: DType,
    key_index: int,
    value_index: int,
    delimiter: str,
    most: int,
    offset: int,
) -> tuple[list[Any], list[Any]]:
    """The keys and values that the lines of a file stand for."""
    with open(path, "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise GraphError(f"a table's file has more than {_MOST_BYTES} bytes")
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    lines = lines[:most] if most >= 0 else lines

    def part(number: int, line: bytes, index: int, dtype: DType) -> Any:
        if index == _LINE_NUMBER:
            return number + offset
        text = line if index == _WHOLE_LINE else line.split(delimiter.encode())[index]
        return text if dtype == tf.string else (int(text) if dtype.is_integer else float(text))

    try:
        keys = [part(i, line, key_index, key_dtype) for i, line in enumerate(lines)]
        values = [part(i, line, value_index, value_dtype) for i, line in enumerate(lines)]
    except (ValueError, IndexError) as error:
        raise GraphError(f"a table's file has a line that is not as the table says: {error}") from error
    return keys, values
