"""`tf.data.experimental.SqlDataset`: the rows that a query to a database gives."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.dataset import Dataset
from tapeflow.data.pipe import Iteration, State, Stream
from tapeflow.data.sources.memory import Fixed
from tapeflow.data.steps.stepping import ElementStream
from tapeflow.data.structure import Flat, Structure
from tapeflow.engine import errors
from tapeflow.engine.values import nest
from tapeflow.engine.values.dtypes import DType, as_dtype, float64, string
from tapeflow.engine.values.dtypes import bool as bool_dtype
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.io.files import path_of
from tapeflow.ops.host_args import invalid

_WHERE = "tf.data.experimental.SqlDataset"
_LARGEST = 2**63 - 1


class SqlDataset(Dataset):
    """The rows of a query's result, as tuples of a scalar for each column.

    Args:
        driver_name: "sqlite".
        data_source_name: the file of the database.
        query: the query, which may only read.
        output_types: the dtypes of the columns: integers, bool, float64 or string. What is NULL is 0 or empty.

    >>> dataset = tf.data.experimental.SqlDataset(
    ...     "sqlite", "photos.db", "SELECT name, size FROM photos", (tf.string, tf.int64)
    ... )
    """

    __slots__ = ()

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Sequence[DType]
    ) -> None:
        driver, text = (path_of(v, _WHERE, n) for v, n in ((driver_name, "driver_name"), (query, "query")))
        if driver != "sqlite":
            raise invalid(
                f"{_WHERE} expected driver_name='sqlite': The database type, {driver}, is not supported by SqlDataset."
            )
        dtypes = [as_dtype(t) for t in nest.flatten(output_types)]
        for dtype in dtypes:
            if not (dtype.is_integer or dtype in (string, bool_dtype, float64)):
                raise invalid(
                    f"{_WHERE} expected output_types of integers, bool, float64 and string; got {dtype.name}."
                )
        super().__init__(_Query(path_of(data_source_name, _WHERE, "data_source_name"), text, dtypes))


class _Query(Fixed):
    def __init__(self, path: str, query: str, dtypes: list[DType]) -> None:
        specs = [TensorSpec((), d) for d in dtypes]
        super().__init__(Structure(tuple([0] * len(dtypes))), specs, counting.UNKNOWN)
        self.path, self.query, self.dtypes = path, query, dtypes

    def stream(self, iteration: Iteration) -> Stream:
        return _Rows(self)


class _Rows(ElementStream):
    """The rows of one query; its state is their number, and going on runs the query again."""

    def __init__(self, pipe: _Query) -> None:
        self._pipe = pipe
        self._read: list[Callable[[Any], np.ndarray]] = [_reader(d) for d in pipe.dtypes]
        self._rows: sqlite3.Cursor | None = None
        self._at = 0
        self._is_over = False

    def next_element(self) -> Flat | None:
        if self._is_over:
            return None
        try:
            if self._rows is None:
                self._rows = self._opened()
            row = self._rows.fetchone()
        except sqlite3.Error as error:
            raise errors.UnknownError(
                None, None, f"{_WHERE} could not read {self._pipe.path!r}: {error}: {self._pipe.query}"
            ) from error
        if row is None:
            self._is_over = True
            self._rows.connection.close()
            return None
        self._at += 1
        return tuple([read(value) for read, value in zip(self._read, row, strict=True)])

    def _opened(self) -> sqlite3.Cursor:
        address = f"{Path(self._pipe.path).absolute().as_uri()}?mode=ro"
        # Whoever asks for the next row may be another thread each time; never two at once.
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        rows = connection.execute(self._pipe.query)
        wanted, found = len(self._pipe.dtypes), len(rows.description or ())
        if wanted != found:
            connection.close()
            raise invalid(
                f"{_WHERE} expected a dtype for each column: The number of columns in query ({found}) must match the "
                f"number of elements in output_types ({wanted})."
            )
        for _ in range(self._at):
            rows.fetchone()
        return rows

    def state(self) -> State:
        return {"at": self._at, "is_over": self._is_over}

    def restore(self, state: State) -> None:
        self._at, self._is_over = state["at"], state["is_over"]


def _reader(dtype: DType) -> Callable[[Any], np.ndarray]:
    """A value of SQLite's as one of a dtype, converted as SQLite converts: what is no number is 0."""
    if dtype is string:
        return _text
    kind = dtype.as_numpy_dtype
    if dtype is float64:
        return lambda value: np.array(_number(value), kind)
    if dtype is bool_dtype:
        return lambda value: np.array(_whole(value) != 0)
    return lambda value: np.array(_whole(value), np.int64).astype(kind)


def _text(value: object) -> np.ndarray:
    found = np.empty((), object)
    found[()] = b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
    return found


def _number(value: Any) -> float | int:
    if isinstance(value, (int, float)):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0


def _whole(value: object) -> int:
    number = _number(value)
    return 0 if number != number else int(min(max(number, -_LARGEST - 1), _LARGEST))
