"""`pr_curve.summary`: one curve a call, one that adds up, and one of ready numbers."""

from __future__ import annotations

import numpy as np

import tapeflow as tf
from tapeflow import summary
from tapeflow.plugins.pr_curve import summary as pr_curve
from tapeflow.summary.event_files.tensors import array_of
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.pr_curves import curve_from

LABELS = np.array([True, False, True, True])
CHANCES = np.array([0.9, 0.6, 0.4, 0.1])


def hits(writer: FileWriter, tag: str) -> list[list[float]]:
    values = summary.read(writer.logdir)[f"{tag}/pr_curves"].values
    return [curve_from(value).true_positives.tolist() for value in values]


def test_op_writes_each_call_and_streaming_op_adds_up(writer: FileWriter) -> None:
    with writer.as_default(step=0):
        for rows in (slice(0, 2), slice(2, 4)):
            pr_curve.op("once", LABELS[rows], CHANCES[rows], num_thresholds=3)
            pr_curve.streaming_op("all", LABELS[rows], tf.constant(CHANCES[rows]), num_thresholds=3)
    assert hits(writer, "once") == [[1, 1, 0], [2, 0, 0]]
    assert hits(writer, "all")[-1] == [3, 1, 0]


def test_ready_numbers(writer: FileWriter) -> None:
    rows = [np.array([i, i + 1]) for i in range(6)]
    with writer.as_default():
        assert pr_curve.raw_data_op("p", *rows, num_thresholds=2, step=3)
    series = summary.read(writer.logdir)["p/pr_curves"]
    assert series.values[0].tolist() == [row.tolist() for row in rows]
    found = pr_curve.raw_data_pb("p", *rows).value[0]
    np.testing.assert_array_equal(array_of(found.tensor), series.values[0])
    assert found.metadata.plugin_data.content == series.content


def test_a_message_is_what_is_written(writer: FileWriter) -> None:
    with writer.as_default(step=0):
        pr_curve.op("p", LABELS, CHANCES, display_name="P")
    series = summary.read(writer.logdir)["p/pr_curves"]
    found = pr_curve.pb("p", LABELS, CHANCES, display_name="P").value[0]
    np.testing.assert_array_equal(array_of(found.tensor), series.values[0])
    assert found.metadata.display_name == "P"


def test_without_a_writer() -> None:
    assert pr_curve.raw_data_op("p", *[np.zeros(2)] * 6, step=0) is False
