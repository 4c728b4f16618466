"""Sketches leave nothing behind; what `init_scope` makes inside them is real."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.random import counter_for
from tapeflow.engine.recording.name_scope import current_name_scope, name_scope
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.sketch import NotSketchable, init_scope, sketch

X = spec_of((4, 3), tf.float32)


def test_it_gives_shapes_dtypes_and_host_values() -> None:
    found: Any = sketch(lambda x: {"y": tf.reduce_sum(x, 1), "n": tf.shape(x)[0]}, X)
    assert found["y"].shape == (4,)
    assert found["y"].dtype is tf.float32
    assert found["n"].host_value() == 4


def test_writes_draws_and_effects_are_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable(1.0)
    before = counter_for(None).count

    def function(x: Any) -> Any:
        v.assign_add(tf.reduce_sum(x))
        tf.print("not printed")
        return v + tf.reduce_sum(tf.random.normal((2,)))

    assert sketch(function, X).shape == ()
    assert v.numpy() == 1.0
    assert counter_for(None).count == before
    assert capsys.readouterr().err == ""


def test_nothing_runs_and_the_pending_stays_pending(counting: Any) -> None:
    pending = tf.constant([1.0, 2.0]) * 3
    with counting() as spent:
        sketch(lambda x: x @ tf.ones((3, 2)), X)
    assert spent.compiled == spent.dispatched == spent.op_by_op == 0
    np.testing.assert_array_equal(pending, [3.0, 6.0])


def test_reading_a_value_is_refused() -> None:
    with pytest.raises(NotSketchable, match="before there is data; the function reads a tensor's value"):
        sketch(lambda x: x if tf.reduce_sum(x) > 0 else -x, X)


def test_variables_made_in_an_init_scope_outlive_the_sketch() -> None:
    made: list[tf.Variable] = []

    def function(x: Any) -> Any:
        with tf.init_scope():
            made.append(tf.Variable(tf.ones((3,)) * 2.0))
        return x * made[0]

    assert sketch(function, X).shape == (4, 3)
    np.testing.assert_array_equal(made[0], [2.0, 2.0, 2.0])


def test_init_scope_keeps_the_names() -> None:
    with name_scope("a"), init_scope():
        assert current_name_scope() == "a/"
        with name_scope("z") as inner:
            assert inner == "a/z/"


def test_init_scope_inside_a_function_and_a_tape() -> None:
    made: list[tf.Variable] = []

    @tf.function
    def function(x: Any) -> Any:
        with tf.init_scope():
            if not made:
                made.append(tf.Variable(tf.zeros(()) + 5.0))
        return x * made[0]

    assert float(function(tf.constant(2.0))) == 10.0
    made[0].assign(3.0)
    assert float(function(tf.constant(2.0))) == 6.0
    assert function.experimental_get_tracing_count() == 1
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tf.init_scope():
            constant = x * x
        y = x * constant
    assert float(tape.gradient(y, x)) == 4.0
