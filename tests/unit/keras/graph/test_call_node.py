"""Calls of layers on symbolic tensors."""

import numpy as np

import tapeflow as tf


def test_a_call_knows_its_place_inputs_and_parents() -> None:
    x = tf.keras.Input((2,))
    dense = tf.keras.layers.Dense(2)
    first = dense(x)
    second = dense(first)
    node = second.node
    assert (node.layer, node.node_index, node.is_input) == (dense, 1, False)
    assert node.parents == [first.node]
    assert node.input_tensors is first
    assert [n.is_input for n in first.node.parents] == [True]


def test_a_call_can_be_made_with_values() -> None:
    x = tf.keras.Input((2,))
    y = tf.concat([x, x * 2.0], axis=1)
    data = tf.ones((1, 2))
    parts = y.node.inputs
    result = y.node.run({id(parts[0]): data, id(parts[1]): data * 2.0})
    np.testing.assert_array_equal(result, [[1.0, 1.0, 2.0, 2.0]])
