"""`clone_model`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
clone_model = tf.keras.models.clone_model
X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)


def functional() -> Any:
    inputs = tf.keras.Input((4,), name="in")
    shared = layers.Dense(4, name="shared")
    return tf.keras.Model(inputs, {"out": shared(shared(inputs)) * 2.0 + inputs}, name="f")


def test_a_clone_has_the_graph_and_weights_of_its_own() -> None:
    model = functional()
    clone = clone_model(model)
    assert [x.name for x in clone.layers] == [x.name for x in model.layers]
    assert clone.name == "f"
    assert all(a is not b for a, b in zip(clone.weights, model.weights, strict=True))
    clone.set_weights(model.get_weights())
    np.testing.assert_allclose(clone(X)["out"], model(X)["out"])


def test_layers_may_be_replaced_and_inputs_given() -> None:
    def narrow(layer: Any) -> Any:
        if isinstance(layer, layers.Dense):
            return layers.Dense(4, use_bias=False, name=layer.name)
        return type(layer).from_config(layer.get_config())

    inputs = tf.keras.Input((4,), name="other")
    clone = clone_model(functional(), input_tensors=inputs, clone_function=narrow)
    assert len(clone.weights) == 1
    assert clone.input_names == ["other"]


def test_stacks_are_cloned_built_or_not() -> None:
    built = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(2)], name="s")
    clone = clone_model(built)
    assert (clone.built, clone.name, len(clone.weights)) == (True, "s", 2)
    deferred = tf.keras.Sequential([layers.Dense(2)])
    assert not clone_model(deferred).built
    deferred.build((None, 3))
    assert clone_model(deferred).weights[0].shape == (3, 2)


def test_subclasses_are_cloned_by_their_config_alone() -> None:
    class Net(tf.keras.Model):
        def __init__(self, units: int, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.dense = layers.Dense(units)

    assert clone_model(Net(3)).dense.units == 3
    with pytest.raises(ValueError, match="where clone_function is given; got a subclassed model Net"):
        clone_model(Net(3), clone_function=lambda layer: layer)
    with pytest.raises(ValueError, match="clone_model expected a Model"):
        clone_model(layers.Dense(1))
