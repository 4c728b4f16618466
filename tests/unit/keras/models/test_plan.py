"""The order of calls and layers."""

import pytest

import tapeflow as tf
from tapeflow.keras.models.plan import Network

Dense = tf.keras.layers.Dense


def test_layers_come_by_distance_from_the_outputs_then_as_they_are_met() -> None:
    a, b = tf.keras.Input((2,), name="a"), tf.keras.Input((2,), name="b")
    long = Dense(2, name="second")(Dense(2, name="first")(a))
    network = Network([a, b], [Dense(1, name="last")(tf.concat([b, long], 1))])
    assert [x.name.removesuffix("_1") for x in network.layers if "concat" not in x.name] == [
        *("a", "first", "b", "second", "last")
    ]
    assert [n.layer.name for n in network.calls if n.layer.name in ("first", "second", "last")] == [
        *("first", "second", "last")
    ]


def test_a_shared_layer_stands_where_its_farthest_call_does() -> None:
    x = tf.keras.Input((2,), name="x")
    shared = Dense(2, name="shared")
    y = shared(Dense(2, name="between")(shared(x)))
    assert [layer.name for layer in Network([x], [y]).layers] == ["x", "shared", "between"]


def test_an_input_that_leads_nowhere_is_kept() -> None:
    x, unused = tf.keras.Input((2,), name="x"), tf.keras.Input((2,), name="unused")
    layers = Network([x, unused], [Dense(1, name="d")(x)]).layers
    assert [layer.name for layer in layers] == ["x", "unused", "d"]


def test_an_input_that_was_not_given_is_named() -> None:
    a, b = tf.keras.Input((2,), name="a"), tf.keras.Input((2,), name="b")
    with pytest.raises(
        ValueError, match=r"Graph disconnected: cannot obtain value for tensor .* at layer \"b\""
    ):
        Network([a], [a + b])


def test_a_deep_graph_does_not_exhaust_the_stack() -> None:
    x = y = tf.keras.Input((1,))
    middle = None
    for i in range(1500):
        y = tf.identity(y)
        middle = y if i == 700 else middle
    assert len(Network([x], [y]).calls) == 1500
    assert len(tf.keras.Model(middle, y).layers) == 800
