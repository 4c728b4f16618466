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


def test_a_layer_may_have_its_batch_size_written_into_it() -> None:
    batch, rows, width = 50, 3, 4

    class Experts(layers.Layer):
        def call(self, inputs: Any) -> Any:
            tokens = tf.reshape(inputs, [batch * rows, width])
            return tf.reshape(tokens * 2.0, [tf.shape(inputs)[0], rows, width])

    def sampled(given: Any) -> Any:
        mean, deviation = given
        return mean + deviation * tf.random.normal((batch, width))

    inputs = tf.keras.Input((rows, width))
    outputs = layers.GlobalAveragePooling1D()(Experts()(inputs))
    drawn = layers.Lambda(sampled)([outputs, outputs])
    assert [outputs.shape.as_list(), drawn.shape.as_list()] == [[None, width], [None, width]]
    model = tf.keras.Model(inputs, [outputs, layers.Dense(2)(drawn)])
    assert [o.shape for o in model(tf.ones((batch, rows, width)))] == [(batch, width), (batch, 2)]


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


def test_a_call_that_reads_a_value_is_tried_on_one() -> None:
    class Reading(layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.calls = tf.Variable(0)
            self.parts = layers.Dense(3)

        def call(self, inputs: Any) -> Any:
            rows, groups = inputs
            self.calls.assign_add(1)
            parts = tf.dynamic_partition(self.parts(rows), groups, 2)
            return parts[0] if tf.reduce_sum(rows) > 0 else -parts[1]

    inputs = [tf.keras.Input((2,)), tf.keras.Input((), dtype="int32")]
    reading = Reading()
    outputs = reading(inputs)
    assert outputs.shape.as_list() == [None, 3]
    assert int(reading.calls) == 0
    found = tf.keras.Model(inputs, outputs)([tf.ones((5, 2)), tf.constant([0, 1, 0, 0, 1])])
    assert found.shape == (3, 3)


def test_strings_have_shapes_before_there_is_data() -> None:
    text = tf.keras.Input((), dtype=tf.string)
    column = tf.expand_dims(tf.strings.lower(text), -1)
    assert (column.shape.as_list(), column.dtype) == ([None, 1], tf.string)
    assert tf.keras.Model(text, column)(tf.constant(["Ab", "C"])).numpy().tolist() == [[b"ab"], [b"c"]]


def test_a_call_that_no_made_up_value_suits_is_refused_with_advice() -> None:
    class Reading(layers.Layer):
        def call(self, inputs: Any) -> Any:
            return tf.gather(inputs, tf.where(inputs[:, 0] < 0)[0])

    with pytest.raises(ValueError, match="reads a tensor's value"):
        Reading()(tf.keras.Input((2,)))
    assert Reading()(-tf.ones((1, 2))).shape == (1, 2)


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
    assert [o.shape.as_list() for o in Asking()(inputs)] == [[None, 2], [None, 5]]


@pytest.mark.parametrize("batch", [7, 50, 128])
def test_a_batch_size_may_be_written_into_a_call(batch: int) -> None:
    inputs = tf.keras.Input((10,))
    noisy = tf.keras.layers.Lambda(lambda x: x + tf.ones((batch, 10)))(inputs)
    outputs = tf.keras.layers.Lambda(lambda x: tf.reshape(x, [batch * 2, 5]))(noisy)
    assert tuple(noisy.shape) == (None, 10)
    assert tf.keras.Model(inputs, outputs)(tf.ones((batch, 10))).shape == (batch * 2, 5)


def test_a_lambda_that_looks_words_up() -> None:
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.range(2, dtype=tf.int64))
    table = tf.lookup.StaticVocabularyTable(words, 1)
    x = tf.keras.Input([], dtype=tf.string)
    y = tf.keras.layers.Lambda(lambda texts: table.lookup(texts))(x)
    assert (y.shape.as_list(), y.dtype) == ([None], tf.int64)
    assert tf.keras.Model(x, y)(tf.constant(["b", "a"])).numpy().tolist() == [1, 0]


def test_a_batch_size_that_one_input_has_is_that_of_the_result() -> None:
    fixed, free = tf.keras.Input((3,), batch_size=8), tf.keras.Input((3,))
    total = layers.Add()([fixed, free])
    assert (tuple(total.shape), tuple(layers.Dense(2)(total).shape)) == ((8, 3), (8, 2))


def test_a_call_may_drop_the_batch_axis() -> None:
    inputs = tf.keras.Input((4, 2))
    outputs = layers.Lambda(lambda x: tf.expand_dims(tf.reduce_max(tf.squeeze(x, axis=0), [1]), axis=0))(
        inputs
    )
    assert tf.keras.Model(inputs, outputs)(tf.ones((1, 4, 2))).shape == (1, 4)


def test_a_class_with_a_call_of_its_own_may_give_less_than_the_call_inside() -> None:
    class First(tf.keras.layers.Layer):
        def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            first, _ = super().__call__(inputs, *args, **kwargs)
            return first

        def call(self, inputs: Any) -> Any:
            return 2.0 * inputs, inputs

    inputs = tf.keras.Input((2,))
    model = tf.keras.Model(inputs, First()(tf.keras.layers.Dense(2, kernel_initializer="ones")(inputs)))
    assert model.output_shape == (None, 2)
    assert model(tf.ones((3, 2))).numpy().tolist() == [[4.0, 4.0]] * 3


@pytest.mark.parametrize(
    ("cut", "shape", "expected"),
    [
        (lambda x, n: x[:n], (None, 8), (3, 8)),
        (lambda x, n: x[:, n], (None,), (4,)),
        (lambda x, n: x[..., n:], (None, None), (4, 5)),
        (lambda x, n: x[..., :n:2], (None, None), (4, 2)),
    ],
)
def test_a_slice_may_end_at_an_input(cut: Any, shape: Any, expected: Any) -> None:
    end = tf.keras.backend.placeholder((), dtype="int32")
    x = tf.keras.Input([8])
    assert end.shape == ()
    y = cut(x, end)
    assert tuple(y.shape) == shape
    model = tf.keras.Model([x, end], y)
    assert model([np.ones([4, 8]), np.array(3)]).shape == expected
    assert model.predict_on_batch([np.ones([4, 8]), np.array(3)]).shape == expected
