"""Making, finding, reading and setting weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers


class Tree(layers.Layer):
    """Weights of its own and below it, in attributes of every kind."""

    def __init__(self) -> None:
        super().__init__(name="tree")
        self.child = layers.Dense(2, name="child")
        self.rest = {"a": [layers.Dense(1, name="deep")]}
        self.own = self.add_weight("own", shape=(2,), initializer="ones")
        self.fixed = self.add_weight("fixed", shape=(), initializer="zeros", trainable=False)
        self.variables_in_a_list = [tf.Variable(1.0, name="listed")]
        self.metric = tf.keras.metrics.Mean()
        for layer in (self.child, self.rest["a"][0]):
            layer.build((None, 2))

    def call(self, inputs: Any) -> Any:
        return inputs


def names(weights: Any) -> list[str]:
    return [w.name.split(":")[0] for w in weights]


def test_own_weights_come_first_and_trainable_ones_before_others() -> None:
    tree = Tree()
    trained = ["own", "listed", "kernel", "bias", "kernel", "bias"]
    assert [n.split("/")[-1] for n in names(tree.trainable_weights)] == trained
    assert names(tree.non_trainable_weights) == ["fixed"]
    assert len(tree.weights) == 7  # metrics have no weights of the layer
    assert tree.variables == tree.weights
    tree(tf.ones((1, 2)))
    assert tree.count_params() == 2 + 1 + 1 + 6 + 3


def test_freezing_reaches_everything_below() -> None:
    tree = Tree()
    tree.trainable = False
    assert tree.trainable_weights == []
    assert len(tree.non_trainable_weights) == 7
    assert not tree.rest["a"][0].trainable
    tree.child.trainable = True
    assert tree.trainable_weights == []
    tree.trainable = True
    tree.child.trainable = False
    assert len(tree.trainable_weights) == 4


def test_what_attributes_hold_is_seen_as_it_changes() -> None:
    tree = Tree()
    tree.rest["b"] = layers.Dense(1)
    tree.rest["b"].build((None, 1))
    assert len(tree.weights) == 9
    del tree.rest["b"]
    tree.child = None
    assert len(tree.weights) == 5
    tree.own = tf.Variable(5.0)
    assert len(tree.weights) == 5
    del tree.own
    assert len(tree.weights) == 4


def test_names_carry_the_layers_around() -> None:
    class Outer(layers.Layer):
        def __init__(self) -> None:
            super().__init__(name="outer")
            self.inner = layers.Dense(1, name="inner")

        def call(self, inputs: Any) -> Any:
            return self.inner(inputs)

    outer = Outer()
    outer(tf.ones((1, 2)))
    assert names(outer.weights) == ["outer/inner/kernel", "outer/inner/bias"]


def test_add_weight_takes_keras_3_order_and_defaults() -> None:
    layer = layers.Layer()
    assert layer.add_weight((2, 3), "ones").shape == (2, 3)
    assert layer.add_weight("scalar").shape == ()
    assert layer.add_weight("n", dtype="int32", trainable=False).numpy() == 0
    given = layer.add_weight("f", shape=2, initializer=lambda shape, dtype=None: tf.fill(shape, 7.0))
    np.testing.assert_array_equal(given, [7.0, 7.0])


def test_add_weight_refuses_what_it_cannot_make() -> None:
    layer = layers.Layer(name="lay")
    with pytest.raises(ValueError, match=r"whose shape is known; got shape=\(None, 2\) for weight 'w'"):
        layer.add_weight("w", shape=(None, 2))
    with pytest.raises(
        ValueError, match="An initializer for variable s of type string is required for layer lay"
    ):
        layer.add_weight("s", dtype="string")


def test_regularizers_of_weights_are_losses() -> None:
    layer = layers.Layer()
    layer.add_weight("w", shape=(2,), initializer="ones", regularizer="l2")
    assert [float(x) for x in layer.losses] == [pytest.approx(0.02)]


def test_get_and_set_weights_are_each_others_inverse() -> None:
    dense = layers.Dense(2, name="dense_of_two")
    dense.build((None, 3))
    values = [np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0])]
    dense.set_weights(values)
    for found, expected in zip(dense.get_weights(), values, strict=True):
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(
        ValueError, match='on layer "dense_of_two" with a weight list of length 1, but the layer was'
    ):
        dense.set_weights([values[0]])
    with pytest.raises(
        ValueError, match=r"weight shape \(3, 2\) is not compatible with provided weight shape \(2,"
    ):
        dense.set_weights([np.ones((2, 2)), values[1]])
    np.testing.assert_array_equal(dense.get_weights()[0], values[0])


def test_count_params_needs_a_built_layer() -> None:
    with pytest.raises(ValueError, match=r"manually via: `unbuilt.build\(batch_input_shape\)`"):
        layers.Dense(1, name="unbuilt").count_params()


def test_policies_are_named_by_strings_dtypes_and_configs() -> None:
    mixed = tf.keras.mixed_precision.Policy("mixed_float16")
    layer = layers.Dense(1, dtype=mixed)
    assert (layer.dtype, layer.compute_dtype) == ("float32", "float16")
    copy = layers.Dense.from_config(layer.get_config())
    assert copy.dtype_policy.name == "mixed_float16"
    assert layers.Dense(1, dtype=tf.float64).get_config()["dtype"] == "float64"


class _Scoped(layers.Layer):
    def build(self, input_shape: Any) -> None:
        self.inner = layers.Dense(1, name="d")
        with tf.name_scope("wpe"):
            self.add_weight("embeddings", shape=(3,))

    def call(self, inputs: Any) -> Any:
        with tf.name_scope("inner"):
            return self.inner(inputs)


def test_scopes_and_layers_are_in_names_in_the_order_of_entering() -> None:
    outer = tf.keras.Sequential([_Scoped(name="e")], name="unused")
    with tf.name_scope("out"):
        layer = _Scoped(name="e")
        layer(tf.ones((1, 2)))
    assert [w.name for w in layer.weights] == [
        "out/e/wpe/embeddings:0",
        "out/e/inner/d/kernel:0",
        "out/e/inner/d/bias:0",
    ]
    outer.build((None, 2))
    assert outer.weights[0].name == "e/wpe/embeddings:0"


def test_a_layer_holds_what_is_tracked_by_name() -> None:
    layer, held = layers.Layer(), layers.Dense(1)
    assert layer._track_trackable(held, name="held") is held
    held.build((None, 2))
    assert len(layer.weights) == 2


def test_a_weight_may_be_a_variable_that_exists() -> None:
    variable = tf.Variable([1.0, 2.0], name="there")
    layer = tf.keras.layers.Layer()
    found = layer.add_weight(
        name=variable.name, shape=variable.shape, trainable=False, getter=lambda *_, **__: variable
    )
    assert found is variable
    assert [w is variable for w in layer.weights] == [True]
