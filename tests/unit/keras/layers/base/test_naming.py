"""Names of layers."""

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras.layers.base.naming import get_uid, reset_names, snake_case, unique_name


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        ("Dense", "dense"),
        ("Conv2D", "conv2d"),
        ("LSTM", "lstm"),
        ("BatchNormalization", "batch_normalization"),
        ("GlobalAveragePooling1D", "global_average_pooling1d"),
        ("ReLU", "re_lu"),
        ("MyLayerV2", "my_layer_v2"),
        ("_Hidden", "private__hidden"),
    ],
)
def test_class_names_become_layer_names(cls: str, name: str) -> None:
    assert snake_case(cls) == name


def test_names_are_numbered_until_the_session_is_cleared() -> None:
    reset_names()
    assert [unique_name("a"), unique_name("a"), unique_name("b", is_zero_based=False)] == ["a", "a_1", "b_1"]
    assert get_uid("a") == 3
    tf.keras.backend.clear_session()
    assert unique_name("a") == "a"


def test_what_a_recorded_or_sketched_call_makes_takes_no_name_from_others() -> None:
    class Joined(tf.keras.layers.Layer):
        def build(self, shape):
            self.inner = tf.keras.layers.Dense(2)

        def call(self, x):
            return tf.keras.layers.concatenate([self.inner(x), x])

    tf.keras.backend.clear_session()
    x = tf.keras.Input((4,))
    model = tf.keras.Model(x, Joined()(Joined()(x)))
    model.predict(tf.ones((2, 4)), verbose=0)
    names = ["joined_1/dense", "joined/dense"]  # the outer one is made first
    assert [w.name for w in model.weights] == [f"{n}/{w}:0" for n in names for w in ("kernel", "bias")]
    assert tf.keras.layers.Concatenate().name == "concatenate"
    model(tf.ones((2, 4)))  # two calls that make a layer each
    assert tf.keras.layers.Concatenate().name == "concatenate_3"
    assert [m.name for m in model.submodules] == ["input_1", "joined", "joined_1", "dense", "dense"]


class _Block(tf.keras.layers.Layer):
    def build(self, input_shape: Any) -> None:
        self.inner = tf.keras.layers.Dense(2)

    def call(self, inputs: Any) -> Any:
        return self.inner(inputs)


class _Blocks(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.block = _Block()

    def call(self, inputs: Any) -> Any:
        return self.block(inputs)


def test_layers_made_in_a_symbolic_call_leave_the_names_outside_alone() -> None:
    reset_names()
    inputs = tf.keras.Input((3,))
    first, second = _Block(name="a"), _Block(name="b")
    hidden = second(tf.keras.layers.Dense(4)(first(inputs)))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden))
    assert [layer.name for layer in model.layers[1:]] == ["a", "dense", "b", "dense_1"]
    assert [w.name for w in first.weights + second.weights][::2] == ["a/dense/kernel:0", "b/dense/kernel:0"]


def test_a_staged_step_and_build_number_names_from_the_start() -> None:
    reset_names()
    tf.keras.layers.Dense(1)
    built, fitted, called = _Blocks(), _Blocks(), _Blocks()
    built.build((None, 3))
    fitted.compile("sgd", "mse")
    fitted.train_on_batch(tf.ones((2, 3)), tf.ones((2, 2)))
    called(tf.ones((2, 3)))
    assert [m.block.inner.name for m in (built, fitted, called)] == ["dense", "dense", "dense_1"]
