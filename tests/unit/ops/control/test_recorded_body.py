"""Which functions can be recorded, and results put back where they belong."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.values.dtypes import float32
from tapeflow.ops.control.recorded_body import body_or_none, is_being_recorded, packed_results

SCALAR = spec_of((), float32)
TOTAL = tf.Variable(0.0)


def test_what_can_be_recorded() -> None:
    outside = tf.constant(2.0) * 1.0
    body = body_or_none(lambda x: (x * outside, None), SCALAR)
    assert body is not None
    assert body.graph.specs == (SCALAR,)
    assert len(body.captured) == 1
    assert body.captured[0] is outside


@pytest.mark.parametrize(
    "function",
    [
        lambda x: float(x),
        lambda x: x if x > 0 else -x,
        lambda x: TOTAL.assign_add(x),
        lambda x: tf.print(x),
        lambda x: tf.constant("a"),
        lambda x: tf.py_function(lambda v: v, [x], tf.float32),
    ],
    ids=["read", "if", "write", "print", "string", "python"],
)
def test_what_cannot(function: Any) -> None:
    assert body_or_none(function, SCALAR) is None
    assert TOTAL.numpy() == 0.0


def test_strings_are_not_even_tried() -> None:
    called: list[int] = []
    assert body_or_none(lambda: called.append(1), inputs=[tf.constant("a")]) is None
    assert called == []


def test_an_error_of_the_function_comes_out() -> None:
    with pytest.raises(ZeroDivisionError):
        body_or_none(lambda x: 1 / 0, SCALAR)
    assert not is_being_recorded()


def test_is_being_recorded() -> None:
    seen = [is_being_recorded()]
    body_or_none(lambda: seen.append(is_being_recorded()))
    tf.function(lambda: seen.append(is_being_recorded()))()
    assert seen == [False, True, True]


def test_packed_results() -> None:
    assert packed_results({"b": [None, 1], "a": (2,)}, ["x", "y"]) == {"b": [None, "y"], "a": ("x",)}
