"""What TensorFlow 1 kept in a graph's collections: nothing, as in eager mode; and assignments by functions."""

from __future__ import annotations

import tapeflow as tf

v1 = tf.compat.v1


def test_collections_are_empty() -> None:
    v1.add_to_collection("losses", tf.Variable(1.0))
    assert v1.get_collection("losses") == v1.global_variables() == v1.trainable_variables() == []


def test_assignments() -> None:
    variable = tf.Variable(1.0)
    v1.assign(variable, 3.0)
    v1.assign_add(variable, 2.0)
    v1.assign_sub(variable, 1.0)
    assert float(variable) == 4.0
