"""What adds up over calls: once a step is over it has one record, and the last record of a step is whole."""

from __future__ import annotations

import numpy as np

from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.totals import Total


def total() -> Total:
    return Total(lambda found: [("x", found, b"")])


def due(found: Total, is_flush: bool = False) -> list[tuple[int, list[int]]]:
    return [(entry.step, entry.value.tolist()) for entry in found.due(is_flush)]


def test_a_step_is_due_when_it_is_over() -> None:
    found = total()
    for step, number in ((0, 1), (0, 2), (1, 5), (2, 7)):
        found.add(step, np.array([number]))
    assert due(found) == [(0, [3]), (1, [5]), (2, [7])]
    assert due(found, is_flush=True) == []


def test_a_growing_total_is_due_each_time_it_has_grown_fourfold() -> None:
    found, written = total(), []
    for _ in range(70):
        found.add(3, np.array([1]))
        written += due(found)
    assert written == [(3, [1]), (3, [4]), (3, [16]), (3, [64])]
    assert due(found, is_flush=True) == [(3, [70])]
    assert due(found, is_flush=True) == []
    found.add(4, np.array([1]))
    assert due(found) == [(4, [1])]


def test_what_was_added_after_a_record_is_written_when_the_step_is_over() -> None:
    found = total()
    found.add(0, np.array([1]))
    assert due(found) == [(0, [1])]
    found.add(0, np.array([1]))
    assert due(found) == []
    found.add(1, np.array([9]))
    assert due(found) == [(0, [2]), (1, [9])]


def test_a_larger_array_makes_room() -> None:
    found = total()
    found.add(0, np.array([[1]]))
    found.add(0, np.array([[1, 2], [3, 4]]))
    found.add(0, np.array([[1]]))
    assert due(found) == [(0, [[3, 2], [3, 4]])]


def test_the_writer_asks_when_it_is_flushed_and_closed(writer: FileWriter) -> None:
    made = writer.source("key", total)
    assert writer.source("key", total) is made
    made.add(0, np.array([1]))
    writer.flush()
    made.add(0, np.array([1]))
    writer.close()
    series = summary.read(writer.logdir)["x"]
    assert [value.tolist() for value in series.values] == [[1], [2]]


def test_a_writer_of_nothing_asks_for_nothing() -> None:
    assert isinstance(summary.create_noop_writer().source("key", total), Total)
