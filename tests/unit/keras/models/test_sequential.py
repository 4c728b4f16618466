"""Sequential models; what they show is compared with Keras 2 in tests/parity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers


def test_an_empty_stack_grows_and_shrinks() -> None:
    model = tf.keras.Sequential()
    assert (model.built, model.inputs, model.layers) == (False, None, [])
    model.add(layers.Dense(2, input_shape=(3,)))
    model.add(layers.Dense(1))
    assert (model.built, model.output_shape, len(model.weights)) == (True, (None, 1), 4)
    model.pop()
    assert (model.output_shape, len(model.weights)) == ((None, 2), 2)
    assert model(tf.ones((1, 3))).shape == (1, 2)
    model.pop()
    assert (model.built, model.inputs, model.outputs) == (False, None, None)
    with pytest.raises(TypeError, match="There are no layers in the model"):
        model.pop()


def test_a_deferred_stack_builds_at_its_first_call_and_takes_other_shapes() -> None:
    model = tf.keras.Sequential([layers.Dense(2), layers.Dense(1)])
    with pytest.raises(ValueError, match=r"Weights for model .* have not yet been created"):
        _ = model.weights
    with pytest.raises(ValueError, match="This model has not yet been built"):
        model.summary()
    with pytest.raises(ValueError, match="You must provide an `input_shape` argument"):
        model.build()
    assert model(tf.ones((2, 3))).shape == (2, 1)
    assert model(tf.ones((5, 7, 3))).shape == (5, 7, 1)
    assert [tuple(w.shape) for w in model.weights] == [(3, 2), (2,), (2, 1), (1,)]


def test_a_stack_built_by_fit_is_open_to_batches_of_any_size() -> None:
    class Net(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.stack = tf.keras.Sequential([layers.Dense(1)])

        def call(self, inputs: Any) -> Any:
            return self.stack(inputs)

    model, net = tf.keras.Sequential([layers.Dense(1)]), Net()
    for trained in (model, net):
        trained.compile("sgd", "mse")
        trained.fit(np.ones((5, 2)), np.ones((5, 1)), batch_size=4, verbose=0)
    assert model.input_shape == net.stack.input_shape == (None, 2)
    called = tf.keras.Sequential([layers.Dense(1)])
    called(tf.ones((3, 2)))
    assert called.input_shape == (3, 2)


def test_training_again_after_a_layer_was_added_trains_the_new_stack() -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(2)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 2)), verbose=0)
    model.add(layers.Dense(1))
    model.compile("sgd", "mse")
    before = model.get_weights()[2].copy()
    model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    assert model.predict(np.ones((4, 2)), verbose=0).shape == (4, 1)
    assert (model.get_weights()[2] != before).any()


def test_what_is_no_single_chain_is_refused() -> None:
    class Two(layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs, inputs

    with pytest.raises(ValueError, match="should have a single output tensor"):
        tf.keras.Sequential([tf.keras.Input((2,)), Two()])
    with pytest.raises(TypeError, match="must be an instance of class Layer. Received: layer=3"):
        tf.keras.Sequential([3])
    with pytest.raises(ValueError, match='Name "same" is already the name of a layer in this model'):
        tf.keras.Sequential([layers.Dense(1, name="same"), layers.Dense(1, name="same")])


def test_configs_make_equal_stacks() -> None:
    class Mine(tf.keras.Sequential):
        pass

    built = tf.keras.Sequential([layers.Dense(2, input_shape=(3,)), layers.Dense(1)], name="s")
    copy = tf.keras.Sequential.from_config(built.get_config())
    copy.set_weights(built.get_weights())
    np.testing.assert_array_equal(copy(tf.ones((1, 3))), built(tf.ones((1, 3))))
    deferred = tf.keras.Sequential([layers.Dense(2)])
    assert not tf.keras.Sequential.from_config(deferred.get_config()).built
    deferred.build((None, 5))
    assert tf.keras.Sequential.from_config(deferred.get_config()).weights[0].shape == (5, 2)
    assert type(Mine.from_config(built.get_config())) is Mine


def test_a_nested_stack_and_a_model_can_come_first() -> None:
    inner = tf.keras.Sequential([tf.keras.Input((3,), dtype="float64"), layers.Dense(2, dtype="float64")])
    model = tf.keras.Sequential([inner, layers.Dense(1)])
    assert model.input_shape == (None, 3)
    assert model(np.ones((2, 3))).shape == (2, 1)
    module = tf.keras.Sequential([layers.Lambda(lambda x: x * 2.0)])
    np.testing.assert_array_equal(module(tf.ones((1, 1))), [[2.0]])


def test_weights_of_a_stack_built_inside_a_layer_carry_no_name_of_it() -> None:
    class Block(layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.stack = tf.keras.Sequential([layers.Dense(1, name="first")])
            self.direct = layers.Dense(1, name="direct")

        def call(self, inputs: Any) -> Any:
            return self.stack(inputs) + self.direct(inputs)

    block = Block()
    block(tf.ones((1, 2)))
    names = [w.name for w in block.weights]
    assert names == ["first/kernel:0", "first/bias:0", "block/direct/kernel:0", "block/direct/bias:0"]


def test_a_stack_without_an_input_leaves_open_what_differs_between_calls() -> None:
    model = tf.keras.Sequential([layers.Dense(2)])
    model(np.ones((1, 4, 3), "float32"))
    assert model.output_shape == (1, 4, 2)
    model(np.ones((5, 4, 3), "float32"))
    assert model.output_shape == model.layers[0].output_shape == (None, 4, 2)
    model(np.ones((1, 4, 3), "float32"))
    model(np.ones((3,), "float32")[None])  # another rank changes nothing
    assert model.output_shape == (None, 4, 2)
    model.add(layers.Dense(6))
    assert not model.built
    model(np.ones((5, 4, 3), "float32"))
    assert [layer.output_shape for layer in model.layers] == [(5, 4, 2), (5, 4, 6)]


def test_adding_layers_one_by_one_calls_each_once() -> None:
    calls = []

    class Counting(layers.Layer):
        def call(self, inputs: Any) -> Any:
            calls.append(self.name)
            return inputs

    model = tf.keras.Sequential([tf.keras.Input((3,))])
    for _ in range(5):
        model.add(Counting())
    assert all(calls.count(layer.name) == 2 for layer in model.layers), "once at each of two sizes"
    model.pop()
    assert [len(layer._inbound_nodes) for layer in model.layers] == [1] * 4


def test_a_first_layer_may_take_several_inputs(tmp_path: Path) -> None:
    inputs = [np.ones([4, 2], np.float32), np.ones([4, 3], np.float32)]

    def stack() -> Any:
        return tf.keras.Sequential([layers.Concatenate(), layers.Dense(2)])

    assert tuple(stack().compute_output_shape([(None, 2), (None, 3)])) == (None, 2)
    built = stack()
    built.build([(None, 2), (None, 3)])
    assert [tuple(w.shape) for w in built.weights] == [(5, 2), (2,)]
    model = stack()
    model.compile("sgd", "mse")
    model.fit(inputs, np.ones([4, 2]), verbose=0)
    expected = model(inputs)
    clone = tf.keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    np.testing.assert_allclose(clone(inputs), expected)
    for ending in ("h5", "keras"):
        model.save(tmp_path / f"stack.{ending}")
        np.testing.assert_allclose(tf.keras.models.load_model(tmp_path / f"stack.{ending}")(inputs), expected)
