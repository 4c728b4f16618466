"""Shapes of calls on symbolic tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.graph.inference import shapes_of

layers = tf.keras.layers


@pytest.mark.parametrize(
    ("shape", "function", "expected"),
    [
        ((None, 8), lambda x: layers.Dense(3)(x), [None, None, 3]),
        ((7, 8), lambda x: tf.transpose(x, (0, 2, 1)), [None, 8, 7]),
        ((None, 8), lambda x: tf.reshape(x, (tf.shape(x)[0], -1)), [None, None]),
        ((None,), lambda x: tf.tile(x, (1, 2)), [None, None]),
        ((8,), lambda x: tf.concat([x, x], axis=0), [None, 8]),
        ((8,), lambda x: tf.reduce_sum(x), []),
        ((8,), lambda x: tf.shape(x), [2]),
        ((None, None, 3), lambda x: layers.Conv2D(4, 5, strides=2)(x), [None, None, None, 4]),
        ((8,), lambda x: layers.Dense(2)(x)[0], [2]),
    ],
)
def test_a_dimension_that_depends_on_the_data_is_unknown(shape: Any, function: Any, expected: Any) -> None:
    assert function(tf.keras.Input(shape)).shape.as_list() == expected


def test_a_deep_stack_that_shrinks_its_input_is_still_inferred() -> None:
    x = tf.keras.Input((None, None, 1))
    for _ in range(6):
        x = layers.MaxPooling2D()(x)
    assert layers.Conv2D(2, 3)(x).shape.as_list() == [None, None, None, 2]


def test_a_layer_may_look_up_positions_in_a_short_table() -> None:
    class Positions(layers.Layer):
        def build(self, input_shape: Any) -> None:
            self.table = self.add_weight("table", shape=(32, 4))

        def call(self, inputs: Any) -> Any:
            return inputs + tf.gather(self.table, tf.range(tf.shape(inputs)[1]))

    assert Positions()(tf.keras.Input((None, 4))).shape.as_list() == [None, None, 4]


def test_structures_of_results_are_kept() -> None:
    class Several(layers.Layer):
        def call(self, inputs: Any) -> Any:
            return {"a": inputs, "b": (inputs[:, :1], 3)}

    found = Several()(tf.keras.Input((2,)))
    assert found["a"].shape.as_list() == [None, 2]
    assert found["b"][0].shape.as_list() == [None, 1]
    assert found["b"][1] == 3


def test_a_wrong_call_is_refused_when_the_model_is_defined() -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=r"[Ii]ncompatible"):
        tf.matmul(tf.keras.Input((3,)), tf.ones((4, 2)))


def test_a_call_that_reads_a_value_is_refused_with_advice() -> None:
    class Reading(layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs if tf.reduce_sum(inputs) > 0 else -inputs

    with pytest.raises(ValueError, match="reads a tensor's value"):
        Reading()(tf.keras.Input((2,)))
    assert Reading()(tf.ones((1, 2))).shape == (1, 2)


def test_defining_a_model_draws_no_random_numbers_and_writes_no_state() -> None:
    def draws(define: bool) -> Any:
        tf.keras.utils.set_random_seed(1)
        noise = layers.GaussianNoise(1.0)
        normal = layers.BatchNormalization()
        normal.build((None, 2))
        if define:
            normal(noise(tf.keras.Input((2,)), training=True), training=True)
            assert normal.moving_mean.numpy().tolist() == [0.0, 0.0]
        return noise(tf.zeros((3,)), training=True).numpy().tolist()

    assert draws(define=True) == draws(define=False)


def test_shapes_are_told_from_structures_of_shapes() -> None:
    assert shapes_of((None, 3)).shape == (None, 3)
    assert [s.shape for s in shapes_of([(1, 2), tf.TensorShape([3])])] == [(1, 2), (3,)]
    assert shapes_of({"a": [None, 2]})["a"].shape == (None, 2)


def test_a_layer_that_reads_values_may_say_its_shapes() -> None:
    class Signed(tf.keras.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return (inputs[:, :2] if float(tf.reduce_sum(inputs)) > 0 else -inputs[:, :2]), inputs

        def compute_output_shape(self, input_shape: Any) -> Any:
            return [tf.TensorShape([input_shape[0], 2]), input_shape]

    class Asking(Signed):
        def compute_output_shape(self, input_shape: Any) -> Any:
            return tf.keras.layers.Layer.compute_output_shape(self, input_shape)

    inputs = tf.keras.Input((5,))
    first, second = Signed()(inputs)
    assert (tuple(first.shape), tuple(second.shape)) == ((None, 2), (None, 5))
    np.testing.assert_array_equal(tf.keras.Model(inputs, first)(-np.ones((3, 5), "float32")), np.ones((3, 2)))
    with pytest.raises(ValueError, match="asked for before there is data"):
        Asking()(inputs)
