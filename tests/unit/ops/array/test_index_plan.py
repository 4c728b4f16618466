"""What is static about an index, and what is an input of the program."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.array.index_plan import Axis, Plan

X = tf.constant(np.zeros((10, 4), np.float32))


def values(plan: Plan) -> list[int]:
    return [int(node.value) for node in plan.inputs]


def test_integers_are_inputs() -> None:
    plan, other = Plan(X, (3, -1)), Plan(X, (-2, 0))
    assert plan.cut == other.cut
    assert plan.cut.axes == (Axis(0, 1, slot=0), Axis(0, 1, slot=1))
    assert plan.cut.shape == ()
    assert (values(plan), values(other)) == ([3, 3], [8, 0])


def test_a_window_has_a_static_length_and_a_moving_start() -> None:
    plan, other = Plan(X, (slice(0, 3),)), Plan(X, (slice(-3, 20),))
    assert plan.cut == other.cut
    assert plan.cut.shape == (3, 4)
    assert (values(plan), values(other)) == ([0], [7])


@pytest.mark.parametrize(
    ("key", "axis"),
    [
        (slice(2, None), Axis(2, 8)),
        (slice(None, 3), Axis(0, 3)),
        (slice(None, None, -1), Axis(0, 10, -1)),
        (slice(None, None, 4), Axis(0, 3, 4)),
        (slice(8, None, -3), Axis(2, 3, -3)),
        (slice(5, 5), Axis(0, 0)),
    ],
)
def test_other_slices_are_static(key: slice, axis: Axis) -> None:
    plan = Plan(X, (key,))
    assert plan.cut.axes[0] == axis
    assert plan.inputs == ()


def test_the_users_tensors_come_last() -> None:
    index = tf.cast(tf.constant(1.5) * 2.0, tf.int32)
    plan = Plan(X, (index, 2))
    assert plan.has_tensors
    assert plan.cut.axes == (Axis(0, 1, slot=-1), Axis(0, 1, slot=0))
    assert plan.inputs[-1] is index._as_node()


def test_whole() -> None:
    assert Plan(X, (...,)).is_whole
    assert Plan(X, (slice(None), slice(0, 4))).is_whole
    assert not Plan(X, (None,)).is_whole
    assert not Plan(X, (slice(None, None, -1),)).is_whole


def test_extent() -> None:
    assert [Axis(0, n, s).extent for n, s in ((0, 1), (1, 5), (3, 2), (3, -2))] == [0, 1, 5, 5]
