from __future__ import annotations

import json
import math

import numpy as np
import pytest

from tapeflow.board import column_messages

POINTS = (np.array([1, 2, 1 << 53]), np.array([0.5, 1.5, 2.5]), np.array([np.nan, np.inf, -np.inf]))


def test_what_is_no_number_in_json_survives_the_wire() -> None:
    heads = [column_messages.head("r", "<b>ü</b>", length=3), column_messages.head("r", "y", missing=True)]
    message = column_messages.encode(heads, [POINTS, column_messages.NO_POINTS])
    assert message[:4] == b"TFC1"
    assert int.from_bytes(message[4:8], "little") % 8 == 0
    (head, (steps, times, values)), (other, nothing) = column_messages.decode(message)
    assert head["tag"] == "<b>ü</b>"
    assert steps.tolist() == [1, 2, 1 << 53]
    assert times.tolist() == [0.5, 1.5, 2.5]
    assert math.isnan(values[0])
    assert values[1:].tolist() == [math.inf, -math.inf]
    assert other["missing"]
    assert all(len(column) == 0 for column in nothing)


def test_scripts_get_plain_json() -> None:
    found = column_messages.as_json([column_messages.head("r", "x", length=3)], [POINTS])
    series = json.loads(json.dumps(found, allow_nan=False))["series"][0]
    assert series["values"] == ["NaN", "Infinity", "-Infinity"]
    assert series["steps"] == [1, 2, 1 << 53]


def test_a_smoothed_column_comes_last() -> None:
    heads = [
        column_messages.head("r", "x", length=3, has_smoothed=True),
        column_messages.head("r", "x", length=3),
    ]
    (_, four), (_, three) = column_messages.decode(
        column_messages.encode(heads, [(*POINTS, POINTS[1]), POINTS])
    )
    assert four[3].tolist() == three[1].tolist() == [0.5, 1.5, 2.5]
    assert column_messages.as_json(heads[:1], [(*POINTS, POINTS[1])])["series"][0]["smoothed"] == [
        0.5,
        1.5,
        2.5,
    ]


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a message in columns begins with b'TFC1'; got b'JSON'"):
        column_messages.decode(b"JSON....")
