"""Names of layers."""

import pytest

import tapeflow as tf
from tapeflow.keras.layers.naming import get_uid, reset_names, snake_case, unique_name


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
