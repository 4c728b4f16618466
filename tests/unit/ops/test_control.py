"""What is left of graphs: dependencies, tuples, gradients that pass through, and names of policies."""

from __future__ import annotations

import pytest

import tapeflow as tf


def test_control_dependencies_come_first() -> None:
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign_add(1.0), lambda: v.assign_add(2.0)]):
        assert float(v) == 4
    with tf.control_dependencies(None):
        pass


def test_tuple_gives_tensors() -> None:
    first, nothing = tf.tuple([1, None])
    assert first is not None
    assert (int(first), nothing) == (1, None)
    with pytest.raises(TypeError, match="at least one tensor"):
        tf.tuple([None])


def test_grad_pass_through_is_the_identity_to_tapes() -> None:
    x = tf.Variable([0.2, 1.7])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.grad_pass_through(tf.round)(x) * 3.0)
    assert tape.gradient(y, x).numpy().tolist() == [3, 3]
    assert float(y) == 6


@pytest.mark.parametrize("function", [tf.gradients, tf.hessians])
def test_gradients_of_graphs_name_the_tape(function: object) -> None:
    with pytest.raises(RuntimeError, match=r"tf\.GradientTape"):
        function(1.0, 2.0)  # pyright: ignore[reportCallIssue]


def test_names_of_policies() -> None:
    assert tf.VariableAggregation.MEAN.value == 2
    assert tf.VariableSynchronization.ON_READ.value == 3
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    assert v.aggregation is tf.VariableAggregation.SUM


def test_static_values_and_specs() -> None:
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(tf.Variable(1.0)) is None
    assert tf.get_static_value(3) == 3
    seen = []

    @tf.function
    def look(x: tf.Tensor) -> tf.Tensor:
        seen.append(tf.get_static_value(x))
        seen.append(tf.inside_function())
        return x

    look(tf.constant(1.0))
    assert seen == [None, True]
    assert tf.type_spec_from_value([1.0]) == tf.TensorSpec([1], tf.float32)
    assert not tf.is_symbolic_tensor(tf.constant(1))
    assert tf.is_symbolic_tensor(tf.keras.Input([2]))
    assert tf.get_logger().name == "tensorflow"
    assert tf.timestamp().dtype is tf.float64
