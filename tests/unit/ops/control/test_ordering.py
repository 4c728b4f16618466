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


class TestGradientsInFunctions:
    def test_they_are_those_of_a_tape(self) -> None:
        weight = tf.Variable([1.0, 2.0])

        @tf.function
        def slopes(x: tf.Tensor) -> list[tf.Tensor | None]:
            y = tf.reduce_sum(x**2 * weight)
            (first,) = tf.gradients(y, x)
            (second,) = tf.gradients(tf.reduce_sum(first), x)
            (of_weight,) = tf.gradients(y, weight)
            return [first, second, of_weight]

        for _ in range(2):
            first, second, of_weight = slopes(tf.constant([3.0, 4.0]))
            assert first.numpy().tolist() == [6.0, 16.0]
            assert second.numpy().tolist() == [2.0, 4.0]
            assert of_weight.numpy().tolist() == [9.0, 16.0]

    def test_weights_constants_and_what_is_unconnected(self) -> None:
        @tf.function
        def slopes(x: tf.Tensor) -> list[tf.Tensor | None]:
            y = x**2
            weighted = tf.gradients(y, x, grad_ys=tf.constant([10.0, 1.0]))
            held = tf.gradients(y + x, x, stop_gradients=[y])
            apart = tf.constant([5.0])
            return [
                *weighted,
                *held,
                *tf.gradients(y, apart),
                *tf.gradients(y, apart, unconnected_gradients="zero"),
            ]

        weighted, held, nothing, zero = slopes(tf.constant([1.0, 2.0]))
        assert weighted.numpy().tolist() == [20.0, 4.0]
        assert held.numpy().tolist() == [1.0, 1.0]
        assert nothing is None
        assert zero.numpy().tolist() == [0.0]

    def test_inside_a_loop(self) -> None:
        @tf.function
        def descend(x: tf.Tensor) -> tf.Tensor:
            def turn(i: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
                (slope,) = tf.gradients(tf.reduce_sum(x * x), x)
                return i + 1, x - tf.multiply(0.25, slope)

            return tf.while_loop(lambda i, x: i < 3, turn, [tf.constant(0), x])[1]

        assert descend(tf.constant([8.0])).numpy().tolist() == [1.0]

    def test_wrong_arguments(self) -> None:
        @tf.function
        def of_number(x: tf.Tensor) -> object:
            return tf.gradients(x, 2.0)

        with pytest.raises(TypeError, match="xs to be tensors or Variables; got 2.0"):
            of_number(tf.constant(1.0))

        @tf.function
        def two_weights(x: tf.Tensor) -> object:
            return tf.gradients(x, x, grad_ys=[x, x])

        with pytest.raises(ValueError, match="grad_ys for each of 1 ys; got 2"):
            two_weights(tf.constant(1.0))


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


def test_no_gradient_takes_the_name_of_an_op() -> None:
    tf.no_gradient("Add")
    with pytest.raises(TypeError, match="op_type must be a string; got 3"):
        tf.no_gradient(3)  # pyright: ignore[reportArgumentType]
