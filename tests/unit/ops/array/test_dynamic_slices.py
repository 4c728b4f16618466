"""Slices that begin where a tensor says."""

from __future__ import annotations

import tapeflow as tf
from tapeflow.ops.array.dynamic_slices import dynamic_slice, dynamic_update_slice


def test_the_part_begins_where_a_tensor_says_and_is_moved_inside() -> None:
    x = tf.range(5)
    assert dynamic_slice(x, tf.constant([1]), [2]).numpy().tolist() == [1, 2]
    assert dynamic_slice(x, tf.constant([9]), [2]).numpy().tolist() == [3, 4]


def test_a_part_is_replaced_and_gradients_pass() -> None:
    x, update = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([7.0])
    with tf.GradientTape() as tape:
        changed = dynamic_update_slice(x, update, tf.constant([1]))
    assert changed.numpy().tolist() == [1.0, 7.0, 3.0]
    assert [g.numpy().tolist() for g in tape.gradient(changed, [x, update])] == [[1.0, 0.0, 1.0], [1.0]]
