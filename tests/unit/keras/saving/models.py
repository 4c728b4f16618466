"""Small models of every kind, trained a little, for the tests of saving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf

L = tf.keras.layers
RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape).astype("float32")


def stack() -> tuple[Any, Any]:
    layers = [
        tf.keras.Input((4,)),
        L.Dense(8, activation="relu", kernel_regularizer=tf.keras.regularizers.L2(1e-4)),
        L.BatchNormalization(),
        L.Dropout(0.5),
        L.Dense(1),
    ]
    return tf.keras.Sequential(layers), normal(6, 4)


def late_stack() -> tuple[Any, Any]:
    """Built by its first call: there is no Input."""
    model = tf.keras.Sequential([L.Dense(3, activation="tanh"), L.Dense(1)])
    model(normal(6, 4))
    return model, normal(6, 4)


def two_by_two() -> tuple[Any, Any]:
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((3,), name="b")
    shared = L.Dense(5, activation="tanh", name="shared")
    left, right = shared(a), shared(L.Dense(4)(b))
    outputs = [L.Dense(1, name="one")(L.Concatenate()([left, right])), L.Dense(1, name="two")(left + right)]
    return tf.keras.Model([a, b], outputs), [normal(6, 4), normal(6, 3)]


def nested() -> tuple[Any, Any]:
    """A graph in a graph, called twice, and a Sequential as the output."""
    i = tf.keras.Input((4,))
    inner = tf.keras.Model(i, L.Dense(4)(i) * 0.5 - i, name="inner")
    head = tf.keras.Sequential([tf.keras.Input((4,)), L.Dense(1)], name="head")
    x = tf.keras.Input((4,), name="x")
    return tf.keras.Model(x, head(L.add([inner(inner(x)), x]))), normal(6, 4)


def nested_end() -> tuple[Any, Any]:
    """A graph in a graph as the output, and dicts in and out."""
    i = tf.keras.Input((4,))
    inner = tf.keras.Model(i, L.Dense(1)(i), name="inner")
    x = {"p": tf.keras.Input((4,), name="p"), "q": tf.keras.Input((4,), name="q")}
    model = tf.keras.Model(x, {"sum": inner(x["p"]) + inner(x["q"]), "last": inner(x["q"])})
    return model, {"p": normal(6, 4), "q": normal(6, 4)[::-1].copy()}


def functions() -> tuple[Any, Any]:
    """tf functions, operators and indexing on symbols."""
    x = tf.keras.Input((4,), name="x")
    y = 1.0 - L.Dense(4)(x) / 2.0
    y = tf.concat([y[:, :2], tf.nn.relu(x[..., 1:3])], axis=-1)
    y = tf.where(y > 0.0, y, tf.reduce_mean(y, axis=-1, keepdims=True))
    return tf.keras.Model(x, tf.clip_by_value(y @ tf.ones((4, 1)), -2.0, 2.0)), normal(6, 4)


def recurrent() -> tuple[Any, Any]:
    layers = [
        tf.keras.Input((5,), dtype="int32"),
        L.Embedding(7, 3, mask_zero=True),
        L.Bidirectional(L.LSTM(2)),
        L.Dense(1),
    ]
    return tf.keras.Sequential(layers), np.random.default_rng(1).integers(0, 7, (6, 5)).astype("int32")


@tf.keras.utils.register_keras_serializable("unit")
class Scale(L.Layer):
    """A layer of the user's own, with a sublist of layers."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.blocks = [L.Dense(units), L.Dense(units)]

    def build(self, input_shape: Any) -> None:
        self.factor = self.add_weight("factor", shape=(), initializer="ones")
        self.steps = self.add_weight("steps", shape=(), initializer="zeros", trainable=False)

    def call(self, inputs: Any) -> Any:
        return self.blocks[1](self.blocks[0](inputs)) * self.factor

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units}


@tf.keras.utils.register_keras_serializable("unit")
class Net(tf.keras.Model):
    """A subclassed model."""

    def __init__(self, units: int = 4, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.scale = Scale(units)
        self._out = L.Dense(1)

    def call(self, inputs: Any) -> Any:
        return self._out(self.scale(inputs))

    def get_config(self) -> dict[str, Any]:
        return {"units": self.units}


def subclassed() -> tuple[Any, Any]:
    model = Net(3)
    model(normal(6, 4))
    return model, normal(6, 4)


def custom_layer() -> tuple[Any, Any]:
    return tf.keras.Sequential([tf.keras.Input((4,)), Scale(3), L.Dense(1)]), normal(6, 4)


GRAPHS: list[Callable[[], tuple[Any, Any]]] = [
    *(stack, late_stack, two_by_two, nested, nested_end, functions, recurrent, custom_layer)
]
MODELS = [*GRAPHS, subclassed]


def trained(make: Callable[[], tuple[Any, Any]], optimizer: Any = "adam") -> tuple[Any, Any, Any]:
    """A model after two steps, with inputs and labels."""
    tf.keras.utils.set_random_seed(3)
    model, x = make()
    model.compile(optimizer, "mse")
    y = tf.nest.map_structure(np.zeros_like, model.predict(x, verbose=0))
    model.fit(x, y, batch_size=3, epochs=1, verbose=0, shuffle=False)
    return model, x, y


def outputs(model: Any, x: Any) -> Any:
    """What a model gives, called and not compiled: faster for one batch."""
    return tf.nest.map_structure(lambda t: t.numpy(), model(x, training=False))


def same(a: Any, b: Any) -> bool:
    """Whether two structures of arrays are the same to the bit."""
    pairs = zip(tf.nest.flatten(a), tf.nest.flatten(b), strict=True)
    return all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in pairs)
