"""`Input` and `InputLayer`."""

import pytest

import tapeflow as tf

Input = tf.keras.Input


def test_shapes_can_be_said_in_every_spelling() -> None:
    expected = [None, 4]
    for symbol in (
        Input((4,)),
        Input(4),
        Input(shape=[4]),
        Input(batch_shape=(None, 4)),
        Input(batch_input_shape=(None, 4)),
        Input(type_spec=tf.TensorSpec((None, 4))),
    ):
        assert symbol.shape.as_list() == expected
        assert symbol.dtype == tf.float32
    assert Input((None, 2), batch_size=3, dtype="int32").shape.as_list() == [3, None, 2]


def test_names_count_from_one() -> None:
    tf.keras.backend.clear_session()
    assert [Input((1,)).name, Input((1,)).name, Input((1,), name="mine").name] == [
        "input_1",
        "input_2",
        "mine",
    ]


def test_an_input_layer_has_a_config() -> None:
    layer = tf.keras.layers.InputLayer(input_shape=(4,), dtype="int32", name="ids")
    copy = tf.keras.layers.InputLayer.from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()
    assert copy.get_config()["batch_input_shape"] == (None, 4)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="Input expected `shape`"):
        Input()
    with pytest.raises(ValueError, match="Cannot set both sparse and ragged"):
        Input((3,), sparse=True, ragged=True)
    with pytest.raises(ValueError, match=r"expected no other arguments; got \['colour'\]"):
        Input((3,), colour=1)
