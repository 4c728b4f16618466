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
