"""What layers know of their symbolic calls."""

import pytest

import tapeflow as tf


def test_inputs_and_outputs_of_every_call_are_known() -> None:
    dense = tf.keras.layers.Dense(3, name="shared")
    a, b = tf.keras.Input((4,)), tf.keras.Input((None, 4))
    first, second = dense(a), dense(b)
    assert dense.input is a
    assert dense.output is first
    assert dense.get_input_at(1) is b
    assert dense.get_output_at(1) is second
    assert (dense.input_shape, dense.output_shape) == ((None, 4), (None, 3))
    assert dense.get_input_shape_at(1) == (None, None, 4)
    assert dense.get_output_shape_at(1) == (None, None, 3)
    assert len(dense.inbound_nodes) == 2
    with pytest.raises(
        ValueError, match="Asked to get output at node 2, but the layer has only 2 inbound nodes"
    ):
        dense.get_output_at(2)


def test_before_a_symbolic_call_there_is_nothing_to_know() -> None:
    dense = tf.keras.layers.Dense(3, name="lonely")
    dense(tf.ones((1, 2)))
    with pytest.raises(
        AttributeError, match='The layer "lonely" has never been called and thus has no defined output'
    ):
        _ = dense.output


def test_calls_lead_from_layer_to_layer_in_both_directions() -> None:
    first, second, third = (tf.keras.layers.Dense(2) for _ in range(3))
    inputs = tf.keras.Input((3,))
    hidden = first(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.add([second(hidden), third(hidden)]))
    [source] = model._input_layers
    assert [node.outbound_layer for node in source._outbound_nodes] == [first]
    assert [node.outbound_layer for node in first._outbound_nodes] == [second, third]
    [added] = model._output_layers
    assert added._inbound_nodes[0].inbound_layers == [second, third]
    assert second._inbound_nodes[0].inbound_layers is first
