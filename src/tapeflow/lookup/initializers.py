"""What tables are filled with: tensors of keys and values, or a text file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int64, string
from tapeflow.io.files import file_errors, path_of
from tapeflow.ops.host_args import invalid


class KeyValueTensorInitializer:
    """Keys and values, one of each after the other.

    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1
    ... )
    >>> table.lookup(tf.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        keys: TensorLike,
        values: Any,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, key_dtype)
        self._values = convert_to_tensor(values, value_dtype)
        if self._keys.shape != self._values.shape:
            raise ValueError(
                "tf.lookup.KeyValueTensorInitializer expected as many keys as values; got shapes "
                f"{self._keys.shape} and {self._values.shape}."
            )

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._keys.dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    def pairs(self) -> tuple[list[Any], list[Any]]:
        """Keys and values as Python objects."""
        return [np.asarray(t.numpy()).reshape(-1).tolist() for t in (self._keys, self._values)]  # pyright: ignore[reportReturnType]


class TextFileIndex:
    """The part of a line used as key or value: the whole line, or its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer:
    """Keys and values from the lines of a text file.

    Args:
        filename: the file.
        key_dtype: string or int64.
        key_index: the column of the keys, or a mark of `tf.lookup.TextFileIndex`.
        value_dtype: the dtype of the values.
        value_index: the column of the values, or a mark.
        vocab_size: how many lines the file must have.
        delimiter: what stands between columns.
        name: ignored.
        value_index_offset: what is added to values that are line numbers.
    """

    def __init__(
        self,
        filename: str | os.PathLike[str],
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        self._path = path_of(filename, "tf.lookup.TextFileInitializer")
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._key_index, self._value_index = key_index, value_index
        self._size, self._delimiter, self._offset = vocab_size, delimiter.encode(), value_index_offset
        for index, dtype, what in (
            (key_index, self.key_dtype, "key"),
            (value_index, self.value_dtype, "value"),
        ):
            if index == TextFileIndex.LINE_NUMBER and dtype is not int64:
                raise ValueError(
                    f"tf.lookup.TextFileInitializer expected {what}_dtype int64 for line numbers; got {dtype.name}."
                )
            if index == TextFileIndex.WHOLE_LINE and dtype is not string:
                raise ValueError(
                    f"tf.lookup.TextFileInitializer expected {what}_dtype string for whole lines; got {dtype.name}."
                )

    def pairs(self) -> tuple[list[Any], list[Any]]:
        """Keys and values as Python objects."""
        with file_errors(self._path, "tf.lookup.TextFileInitializer"), open(self._path, "rb") as file:
            lines = file.read().splitlines()
        if self._size is not None:
            if len(lines) < self._size:
                raise invalid(
                    f"tf.lookup.TextFileInitializer expected {self._size} lines in {self._path}; got {len(lines)}."
                )
            lines = lines[: self._size]
        keys = [self._part(line, i, self._key_index, self.key_dtype, 0) for i, line in enumerate(lines)]
        values = [
            self._part(line, i, self._value_index, self.value_dtype, self._offset)
            for i, line in enumerate(lines)
        ]
        return keys, values

    def _part(self, line: bytes, number: int, index: int, dtype: DType, offset: int) -> Any:
        if index == TextFileIndex.WHOLE_LINE:
            return line
        if index == TextFileIndex.LINE_NUMBER:
            return number + offset
        fields = line.split(self._delimiter)
        if index >= len(fields):
            raise invalid(
                f"tf.lookup.TextFileInitializer expected a column {index} in {self._path}: invalid number of "
                f"columns in line {number} ({line!r}): expected at least {index + 1}, got {len(fields)}."
            )
        text = fields[index]
        if dtype is string:
            return text
        try:
            return int(text) if dtype.is_integer else float(text)
        except ValueError:
            raise invalid(
                f"tf.lookup.TextFileInitializer expected values of {dtype.name} in {self._path}; field "
                f"{text!r} in line {number} is not a valid one."
            ) from None
