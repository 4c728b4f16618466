"""Functional models; what they show and compute is compared with Keras 2 in tests/parity."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)


@pytest.fixture
def two_inputs() -> Any:
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((1,), name="b")
    return tf.keras.Model([a, b], layers.Dense(2)(tf.concat([a, b], 1)), name="two")


def test_inputs_come_as_lists_tuples_or_dicts(two_inputs: Any) -> None:
    b = X[:, :1]
    expected = two_inputs([X, b]).numpy()
    for inputs in ((X, b), {"a": X, "b": b}, {"b": b, "a": X, "unused": b}, [X, b[:, 0]]):
        np.testing.assert_array_equal(two_inputs(inputs), expected)


def test_wrong_inputs_are_refused(two_inputs: Any) -> None:
    with pytest.raises(
        ValueError, match=r'Layer "two" expects 2 input\(s\), but it received 1 input tensors'
    ):
        two_inputs(X)
    with pytest.raises(
        ValueError, match='Missing data for input "b". You passed a data dictionary with keys'
    ):
        two_inputs({"a": X})
    with pytest.raises(ValueError, match=r"expected shape=\(None, 4\), found shape=\(2, 3\)"):
        two_inputs([X[:, :3], X[:, :1]])


def test_dicts_in_and_out_keep_their_keys() -> None:
    a, b = tf.keras.Input((4,)), tf.keras.Input((4,))
    model = tf.keras.Model({"b": b, "a": a}, {"sum": a + b, "parts": [a, b]})
    found = model({"a": X, "b": 2 * X})
    np.testing.assert_allclose(found["sum"], 3 * X)
    np.testing.assert_allclose(found["parts"][1], 2 * X)
    assert model.compute_output_shape({"a": (None, 4), "b": (None, 4)})["sum"].as_list() == [None, 4]


def test_a_subclass_may_give_its_graph_to_super() -> None:
    class Net(tf.keras.Model):
        def __init__(self, units: int, **kwargs: Any) -> None:
            inputs = tf.keras.Input((4,))
            super().__init__(inputs=inputs, outputs=layers.Dense(units)(inputs), **kwargs)
            self.units = units

        def twice(self) -> int:
            return 2 * self.units

    net = Net(3, name="net")
    assert isinstance(net, Net)
    assert type(net).__name__ == "Net"
    assert (net.twice(), net.output_shape, len(net.weights), net.name) == (6, (None, 3), 2, "net")


def test_a_model_may_begin_and_end_anywhere() -> None:
    inputs = tf.keras.Input((4,))
    x = layers.Dense(3, name="x")(inputs)
    y = layers.Dense(2, name="y")(x + 1.0)
    whole = tf.keras.Model(inputs, y)
    head = tf.keras.Model(whole.input, whole.get_layer("x").output)
    tail = tf.keras.Model(x, y)
    np.testing.assert_allclose(tail(head(X)), whole(X), rtol=1e-6)
    assert len(tail.weights) == 2
    assert tail.weights[0] is whole.get_layer("y").kernel
    same = tf.keras.Model(inputs, inputs)
    np.testing.assert_array_equal(same(X), X)


def test_a_layer_made_for_another_model_can_be_called_again() -> None:
    inner = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(2)])
    inputs = tf.keras.Input((3, 4))
    frames = tf.keras.Model(inputs, tf.stack([inner(inputs[:, i]) for i in range(3)], 1))
    assert frames.output_shape == (None, 3, 2)
    assert len(frames.trainable_weights) == 2
    inner.trainable = False
    assert frames.trainable_weights == []


def test_losses_and_metrics_on_symbols_belong_to_the_model() -> None:
    inputs = tf.keras.Input((4,))
    x = layers.Dense(2, kernel_initializer="ones")(inputs)
    model = tf.keras.Model(inputs, layers.Dense(1)(x))
    model.add_loss(tf.reduce_sum(x))
    model.add_metric(tf.reduce_max(x), name="largest", aggregation="mean")
    model(np.ones((2, 4), "float32"))
    assert [float(v) for v in model.losses] == [16.0]
    assert [m.name for m in model.metrics] == ["largest"]
    assert float(model.metrics[0].result()) == 4.0
    assert len(model.weights) == 4


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda i, o: tf.keras.Model(np.ones((2, 4)), o),
            "Input tensors of a Functional model must be the output",
        ),
        (
            lambda i, o: tf.keras.Model(i, tf.ones((2,))),
            "Output tensors of a Functional model must be the output",
        ),
        (lambda i, o: tf.keras.Model([i, i], o), "contains the same input multiple times"),
        (
            lambda i, o: tf.keras.Model(i, layers.Dense(1, name="d")(o)),
            'The name "d" is used 2 times in the model',
        ),
        (lambda i, o: tf.keras.Model(tf.keras.Input((4,)), o), "Graph disconnected"),
    ],
)
def test_bad_graphs_are_refused(make: Any, text: str) -> None:
    inputs = tf.keras.Input((4,))
    with pytest.raises(ValueError, match=text):
        make(inputs, layers.Dense(1, name="d")(inputs))
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        tf.keras.Model(inputs, inputs, colour="red")


def test_masks_of_inputs_reach_the_layers() -> None:
    ids = tf.keras.Input((None,), dtype="int32")
    x = layers.Embedding(5, 3, mask_zero=True)(ids)
    model = tf.keras.Model(ids, layers.LSTM(2, return_sequences=True)(x))
    again = tf.keras.Sequential(
        [layers.Embedding(5, 3, mask_zero=True), layers.LSTM(2, return_sequences=True)]
    )
    data = np.array([[1, 2, 0]])
    again.build((None, 3))
    again.set_weights(model.get_weights())
    found = model(data)
    np.testing.assert_allclose(found, again(data), rtol=1e-6)
    np.testing.assert_array_equal(found._keras_mask, [[True, True, False]])
    np.testing.assert_array_equal(found[0, 1], found[0, 2])


def test_a_deep_copy_has_a_graph_of_its_own() -> None:
    inputs = tf.keras.Input((4,))
    x = inputs
    for _ in range(120):  # deeper than a copy by recursion would go
        x = layers.Dense(4)(x)
    shared = layers.Dense(2)
    model = tf.keras.Model(inputs, shared(x) + shared(inputs))
    copied = copy.deepcopy(model)
    np.testing.assert_array_equal(copied(X), model(X))
    cut = tf.keras.Model(copied.input, copied.layers[1].output)
    assert cut.layers[1] is copied.layers[1]
    assert cut.layers[1] is not model.layers[1]
    assert copied.output.node.layer is copied.layers[-1]
    assert len(tf.keras.Model.from_config(copied.get_config()).layers) == len(model.layers)
    for weight in copied.weights:
        weight.assign(tf.zeros_like(weight))
    assert not copied(X).numpy().any()
    assert model.weights[0].numpy().any()


def test_a_nested_model_is_not_called_to_know_its_shapes() -> None:
    """A layer that reads values, as one of strings does, has none to read while a model is put together."""
    words = tf.keras.Input((1,), dtype=tf.string)
    numbers = tf.keras.layers.StringLookup(vocabulary=["a", "b"])(words)
    inner = tf.keras.Model(words, tf.keras.layers.CategoryEncoding(3)(numbers))
    outer = tf.keras.Model(words, tf.keras.layers.Dense(2)(inner(words, training=False)))
    assert outer.output_shape == (None, 2)
    assert outer(tf.constant([["a"], ["c"]])).shape == (2, 2)


def test_names_of_models_come_from_their_class() -> None:
    class OwnNet(tf.keras.Model):
        def __init__(self) -> None:
            x = tf.keras.Input((2,))
            super().__init__(x, x)

    class OwnStack(tf.keras.Sequential):
        pass

    assert OwnNet().name.startswith("own_net")
    assert OwnStack().name.startswith("own_stack")
    x = tf.keras.Input((2,))
    assert tf.keras.Model(x, x).name.startswith("model")
    assert tf.keras.Sequential().name.startswith("sequential")
