"""Layouts of charts, written and read."""

from __future__ import annotations

import pytest

from tapeflow import summary
from tapeflow.plugins.custom_scalar import layout_pb2
from tapeflow.plugins.custom_scalar import summary as custom_scalar
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.layouts import layout_pb, read_layout


def test_a_layout_is_read_back(writer: FileWriter) -> None:
    series = layout_pb2.MarginChartContent.Series(value="loss", lower="low", upper="high")
    chart = layout_pb2.Chart(title="c", margin=layout_pb2.MarginChartContent(series=[series]))
    layout = layout_pb2.Layout(category=[layout_pb2.Category(title="t", chart=[chart], closed=True)])
    with writer.as_default():
        assert custom_scalar.op(layout) is True
    assert read_layout(summary.read(writer.logdir)) == layout


def test_runs_without_a_layout(writer: FileWriter) -> None:
    with writer.as_default():
        summary.scalar("a", 1.0, step=0)
    assert read_layout(summary.read(writer.logdir)) is None
    with writer.as_default():
        summary.write("custom_scalars__config__", b"\xff\xff", step=0)
    assert read_layout(summary.read(writer.logdir)) is None


def test_wrong_arguments_raise() -> None:
    with pytest.raises(TypeError, match=r"expected a Layout message; got 'x' of type str"):
        layout_pb("x")
