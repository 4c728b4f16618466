"""Subclassed models, and what all models can do."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers


class Net(tf.keras.Model):
    """Two layers and a constant."""

    def __init__(self, units: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.hidden = layers.Dense(units, name="hidden")
        self.heads = [layers.Dense(1, name="head")]

    def call(self, inputs: Any, training: Any = None) -> Any:
        return self.heads[0](self.hidden(inputs))


def test_build_makes_the_weights_without_data() -> None:
    net = Net()
    assert net.weights == []
    net.build((None, 3))
    assert net.built
    assert [w.name for w in net.weights] == [
        "hidden/kernel:0",
        "hidden/bias:0",
        "head/kernel:0",
        "head/bias:0",
    ]
    assert net.compute_output_shape((None, 3)).as_list() == [None, 1]

    class Pair(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = layers.Dense(1), layers.Dense(1)

        def call(self, inputs: Any) -> Any:
            return self.first(inputs["a"]) + self.second(inputs["b"])

    pair = Pair()
    pair.build({"a": (None, 2), "b": (None, 5)})
    assert [tuple(w.shape) for w in pair.weights] == [(2, 1), (1,), (5, 1), (1,)]


def test_a_build_that_fails_leaves_the_model_unbuilt() -> None:
    net = Net()
    with pytest.raises(ValueError, match="min_ndim=2"):
        net.build((3,))
    assert not net.built


def test_layers_are_found_by_name_and_index() -> None:
    net = Net()
    assert [x.name for x in net.layers] == ["hidden", "head"]
    assert net.get_layer("head") is net.heads[0]
    assert net.get_layer(index=0) is net.hidden
    assert set(net.submodules) == {net.hidden, net.heads[0]}
    with pytest.raises(ValueError, match=r"No such layer: x. Existing layers are: \['hidden', 'head'\]"):
        net.get_layer("x")
    with pytest.raises(ValueError, match="layer at index 5 but model only has 2 layers"):
        net.get_layer(index=5)
    with pytest.raises(ValueError, match="Provide only a layer name or a layer index"):
        net.get_layer("head", 1)
    with pytest.raises(ValueError, match="Provide either a layer name or layer index"):
        net.get_layer()


def test_a_model_needs_a_call_and_super_init() -> None:
    class Empty(tf.keras.Model):
        pass

    class Forgetful(tf.keras.Model):
        def __init__(self) -> None:
            self.dense = layers.Dense(1)

    with pytest.raises(NotImplementedError, match=r"Unimplemented `tf.keras.Model.call\(\)`"):
        Empty()(tf.ones((1, 1)))
    with pytest.raises(RuntimeError, match=r"forgot to call `super\(\).__init__\(\)`"):
        Forgetful()
    with pytest.raises(ValueError, match="This model has not yet been built"):
        Net().summary()


def test_configs_and_json_make_equal_models() -> None:
    net = Net(3, name="n")
    again = Net.from_config(net.get_config())
    assert (again.units, again.name) == (3, "n")
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, layers.Dense(2)(inputs))
    text = model.to_json()
    assert json.loads(text)["class_name"] == "Functional"
    restored = tf.keras.models.model_from_json(text)
    restored.set_weights(model.get_weights())
    np.testing.assert_array_equal(restored(tf.ones((1, 3))), model(tf.ones((1, 3))))


def test_a_deep_copy_has_weights_of_its_own() -> None:
    net = Net()
    x = tf.ones((1, 3))
    expected = net(x).numpy()
    twin = copy.deepcopy(net)
    np.testing.assert_array_equal(twin(x), expected)
    twin.set_weights([w * 0 for w in twin.get_weights()])
    np.testing.assert_array_equal(net(x), expected)
    assert float(tf.reduce_sum(twin(x))) == 0.0


def test_a_deep_copy_of_a_trained_model_trains_on_by_itself() -> None:
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, layers.Dense(1)(layers.Dropout(0.1)(inputs)))
    model.compile("adam", "mse")
    x, y = np.ones((4, 3)), np.zeros((4, 1))
    model.fit(x, y, verbose=0)
    twin = copy.deepcopy(model)
    before = model.get_weights()[0]
    assert (twin.get_weights()[0] == before).all()
    twin.fit(x, y, verbose=0)
    assert (twin.get_weights()[0] != before).any()
    assert (model.get_weights()[0] == before).all()
    assert int(twin.optimizer.iterations) == 2


def test_stateful_layers_are_reset() -> None:
    model = tf.keras.Sequential([layers.LSTM(2, stateful=True, batch_input_shape=(1, 2, 3))])
    x = tf.ones((1, 2, 3))
    first = model(x).numpy()
    assert (model(x).numpy() != first).any()
    model.reset_states()
    np.testing.assert_array_equal(model(x), first)


def test_weights_of_layers_in_a_list_come_trainable_first() -> None:
    class Stack(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first = layers.BatchNormalization(name="first")
            self.blocks = [layers.BatchNormalization(name="a"), layers.Dense(1, use_bias=False, name="b")]

        def call(self, x: Any) -> Any:
            x = self.first(x)
            for block in self.blocks:
                x = block(x)
            return x

    model = Stack()
    model(tf.ones((1, 2)))
    names = [w.name.split("/", 1)[1].removesuffix(":0") for w in model.weights]
    batch = ["gamma", "beta", "moving_mean", "moving_variance"]
    assert names == [
        *(f"first/{n}" for n in batch),
        "a/gamma",
        "a/beta",
        "b/kernel",
        *(f"a/{n}" for n in batch[2:]),
    ]


def test_a_module_finds_the_variables_of_a_compiled_model() -> None:
    module: Any = tf.Module()
    module.model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    module.model.compile("sgd", "mse")
    module.model.train_on_batch(np.ones((2, 2)), np.ones((2, 1)))
    assert [v.name for v in module.trainable_variables] == [w.name for w in module.model.weights]


def test_a_model_is_stateful_or_dynamic_as_its_layers_are() -> None:
    inputs = tf.keras.Input((2, 2), batch_size=1)
    model = tf.keras.Model(inputs, tf.keras.layers.LSTM(2, stateful=True)(inputs))
    assert model.stateful
    assert not tf.keras.Sequential([tf.keras.layers.LSTM(2)]).stateful
    model = tf.keras.Sequential([tf.keras.layers.Layer(dynamic=True)])
    assert model.dynamic
    assert not model.stateful
    model.stateful = True
    assert model.stateful


def test_a_model_that_says_what_it_takes_is_saved_before_it_is_called(tmp_path: Path) -> None:
    class Scaled(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.scale = tf.Variable(3.0)

        def call(self, inputs: dict[str, tf.Tensor]) -> tf.Tensor:
            return inputs["a"] * self.scale + tf.cast(inputs["b"], tf.float32)

    model = Scaled()
    assert not model._is_graph_network
    specs = {"a": tf.TensorSpec((None, 2), name="a"), "b": tf.TensorSpec((None, 2), tf.int32, "b")}
    model._set_save_spec(specs)
    model._set_save_spec({"a": tf.TensorSpec(())})  # the first counts
    model.export(tmp_path / "model")
    serve = tf.saved_model.load(tmp_path / "model").signatures["serving_default"]
    [found] = serve(a=tf.ones((1, 2)), b=tf.constant([[1, 2]])).values()
    np.testing.assert_allclose(found, [[4.0, 5.0]])
    x = tf.keras.Input((2,))
    assert tf.keras.Model(x, x + 1.0)._is_graph_network
