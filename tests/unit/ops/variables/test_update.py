"""An op whose result becomes a Variable's value: one node, staged, differentiated around, snapshots kept."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.trace import live_trace
from tapeflow.ops.variables.update import update_variable, update_variables


@op(name="AddTwice", differentiable=False)
def add_twice(total: Any, x: Any) -> Any:
    return total + 2 * x


@op(name="Swap", differentiable=False)
def swap_and_add(a: Any, b: Any, x: Any) -> Any:
    return b + x, a - x


def test_update_is_one_node() -> None:
    v, x = tf.Variable(1.0), tf.constant(3.0)
    before = len(live_trace().nodes)
    update_variable(v, add_twice, x)
    assert len(live_trace().nodes) - before == 1
    assert v.numpy() == 7.0


def test_several_variables_change_together() -> None:
    a, b, x = tf.Variable(1.0), tf.Variable(10.0), tf.constant(0.5)
    for _ in range(3):
        update_variables((a, b), swap_and_add, x)
    assert (a.numpy(), b.numpy()) == (10.5, 0.5)


def test_snapshots_taken_before_keep_their_value() -> None:
    v, x = tf.Variable([1.0, 2.0]), tf.constant([1.0, 1.0])
    snapshots = []
    for _ in range(4):
        snapshots.append(v.value())
        update_variable(v, add_twice, x)
        v.numpy()
    assert [s.numpy()[0] for s in snapshots] == [1.0, 3.0, 5.0, 7.0]
    assert v.numpy().tolist() == [9.0, 10.0]


@pytest.mark.parametrize("op_by_op", [False, True])
def test_staged_function_updates_at_every_call(op_by_op: bool) -> None:
    if op_by_op:
        tf.debugging.enable_op_by_op()
    a, b, runs = tf.Variable(0.0), tf.Variable(1.0), []

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        runs.append(1)
        update_variable(a, add_twice, x)
        update_variables((a, b), swap_and_add, x)
        return a + b

    found = [float(step(tf.constant(x))) for x in (1.0, 2.0, 3.0)]
    assert found == [3.0, 7.0, 13.0]
    assert len(runs) == 1


def test_tape_does_not_follow_an_update() -> None:
    v, w = tf.Variable(1.0, trainable=False), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = w * w
        update_variable(v, add_twice, loss)
    assert float(tape.gradient(loss, w)) == 4.0
    assert v.numpy() == 9.0
