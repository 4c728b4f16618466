"""`table`: every form of rows, as data and as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import tapeflow as tf
from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.tables import markdown_of

EXPECTED = [[b"a", b"b"], [b"1", b"x"], [b"2.5", b""]]


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([{"a": 1, "b": "x"}, {"a": 2.5}], None),
        ([{"a": 1, "b": b"x"}, {"b": None, "a": np.float32(2.5)}], None),
        ({"a": [1, 2.5], "b": ["x", None]}, None),
        ([[1, "x"], [2.5, ""]], ["a", "b"]),
        (np.array([[1, "x"], [2.5, ""]], object), ["a", "b"]),
        (pandas.DataFrame({"a": pandas.Series([1, 2.5], dtype=object), "b": ["x", ""]}), None),
        ([[tf.constant(1), "x"], [tf.constant(2.5), None]], ["a", "b"]),
    ],
    ids=["dicts", "mixed", "columns", "lists", "array", "pandas", "tensors"],
)
def test_forms(writer: FileWriter, rows: Any, columns: Any) -> None:
    with writer.as_default():
        assert summary.table("t", rows, columns, step=1)
    run = summary.read(writer.logdir)
    assert (run["t"].plugin, run["t/text"].plugin) == ("tables", "text")
    assert run["t"].values[0].tolist() == EXPECTED
    assert run["t/text"].values[0].item().decode() == "| a | b |\n| --- | --- |\n| 1 | x |\n| 2.5 |  |"


def test_columns_without_names_are_numbered(writer: FileWriter) -> None:
    with writer.as_default():
        summary.table("t", [[1, 2]], step=0)
        summary.table("t", [], ["x"], step=1)
    values = summary.read(writer.logdir)["t"].values
    assert [value.tolist() for value in values] == [[[b"0", b"1"], [b"1", b"2"]], [[b"x"]]]


def test_markdown_is_escaped() -> None:
    table = np.array([["a"], ["x|y\nz\\"]], object)
    assert markdown_of(table).splitlines()[2] == "| x\\|y z\\\\ |"


def test_it_is_written_inside_a_function(tmp_path: Path) -> None:
    @tf.function
    def show(x: Any) -> Any:
        summary.table("t", x * 2, step=0)
        summary.table("u", [["twice", tf.reduce_sum(x)]], step=0)
        return x

    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        for value in (1, 2):
            show(tf.constant([[value]]))
    writer.close()
    run = summary.read(tmp_path)
    assert [v[1, 0] for v in run["t"].values] == [b"2", b"4"]
    assert [v[1].tolist() for v in run["u"].values] == [[b"twice", b"1"], [b"twice", b"2"]]


@pytest.mark.parametrize(
    ("rows", "columns", "text"),
    [
        ([[1], [1, 2]], None, r"got rows of \[1, 2\] cells"),
        ([[1]], ["a", "b"], r"got rows of \[1\] cells and 2 columns"),
        ({"a": [1], "b": [1, 2]}, None, r"columns of \[1, 2\] cells"),
        ([{"a": 1}], ["x", "y"], r"2 columns and rows with the keys \['a'\]"),
        (np.zeros((2, 2)), ["x"], r"rows of 2 cells and 1 columns"),
        (np.zeros(3), None, r"rows of rank 2, a DataFrame, or lists; got rows of shape \(3,\)"),
    ],
    ids=["uneven", "names", "columns", "keys", "array", "rank"],
)
def test_wrong_arguments_raise(writer: FileWriter, rows: Any, columns: Any, text: str) -> None:
    with writer.as_default(), pytest.raises(ValueError, match=text):
        summary.table("t", rows, columns, step=0)
