"""`SqlDataset`: rows of a query, converted as TensorFlow converts them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

SqlDataset = tf.data.experimental.SqlDataset


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "größe #1.db")
    with sqlite3.connect(path) as connection:
        connection.execute("create table t(n text, i integer, r real)")
        connection.executemany(
            "insert into t values(?,?,?)", [("a", 1, 1.5), ("b", None, 2.5), (None, 300, -9e30)]
        )
    connection.close()
    return path


def test_rows(database: str) -> None:
    dataset = SqlDataset("sqlite", database, "select n,i,r from t", (tf.string, tf.int32, tf.float64))
    assert [s.dtype for s in dataset.element_spec] == [tf.string, tf.int32, tf.float64]
    rows = list(dataset.as_numpy_iterator())
    assert rows == [(b"a", 1, 1.5), (b"b", 0, 2.5), (b"", 300, -9e30)]
    assert [type(v) for v in rows[0]] == [bytes, np.int32, np.float64]
    assert list(dataset.as_numpy_iterator()) == rows


@pytest.mark.parametrize(
    ("column", "dtype", "expected"),
    [
        ("i", tf.bool, [True, False, True]),
        ("i", tf.uint8, [1, 0, 44]),
        ("i", tf.string, [b"1", b"", b"300"]),
        ("n", tf.int64, [0, 0, 0]),
        ("r", tf.int64, [1, 2, -(2**63)]),
    ],
    ids=["bool", "uint8", "text", "no_number", "real"],
)
def test_conversions(database: str, column: str, dtype: Any, expected: list[Any]) -> None:
    dataset = SqlDataset("sqlite", database, f"select {column} from t", (dtype,))
    assert [row[0] for row in dataset.as_numpy_iterator()] == expected


def test_goes_on_where_an_iterator_was(database: str) -> None:
    dataset = SqlDataset("sqlite", database, "select i from t order by i desc", (tf.int64,))
    iterator, again = iter(dataset), iter(dataset)
    next(iterator)
    again.restore(iterator.state())
    assert [int(row[0]) for row in again] == [1, 0]


def test_batches_of_rows_fetched_on_other_threads(database: str) -> None:
    dataset = SqlDataset("sqlite", database, "select i from t", (tf.int64,)).batch(2).prefetch(1)
    assert [row[0].tolist() for row in dataset.as_numpy_iterator()] == [[1, 0], [300]]


def test_only_reads(database: str, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnknownError, match="readonly"):
        list(SqlDataset("sqlite", database, "insert into t values('x', 1, 1.0) returning i", (tf.int64,)))
    missing = tmp_path / "missing.db"
    with pytest.raises(tf.errors.UnknownError, match="unable to open"):
        list(SqlDataset("sqlite", str(missing), "select 1", (tf.int64,)))
    assert not missing.exists()


def test_wrong_arguments_raise(database: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="The database type, mysql, is not supported"):
        SqlDataset("mysql", database, "select i from t", (tf.int64,))
    with pytest.raises(tf.errors.InvalidArgumentError, match="got float32"):
        SqlDataset("sqlite", database, "select i from t", (tf.float32,))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"columns in query \(1\) must match"):
        list(SqlDataset("sqlite", database, "select i from t", (tf.int64, tf.int64)))
    with pytest.raises(tf.errors.UnknownError, match="no such table: nope"):
        list(SqlDataset("sqlite", database, "select x from nope", (tf.int64,)))
