"""`tf.RegisterGradient`."""

from __future__ import annotations

import pytest

import tapeflow as tf


def test_a_name_is_registered_once_and_the_function_stays_as_it_is() -> None:
    def gradient(op: object, grad: object) -> object:
        return grad

    assert tf.RegisterGradient("TestOfRegistering")(gradient) is gradient
    with pytest.raises(
        KeyError, match="expected a name that is not taken; got op_type='TestOfRegistering' twice"
    ):
        tf.RegisterGradient("TestOfRegistering")(gradient)
    with pytest.raises(TypeError, match="expected the name of an op; got op_type=3"):
        tf.RegisterGradient(3)  # pyright: ignore[reportArgumentType]


def test_ops_of_a_graph_are_operations() -> None:
    graph = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([2])).graph
    assert all(isinstance(op, tf.Operation) for op in graph.get_operations())
    assert not isinstance(tf.ones([]), tf.Operation)
