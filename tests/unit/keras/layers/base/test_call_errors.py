"""Errors inside a layer's call name the layer and what it was called with."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

layers = tf.keras.layers


class Failing(layers.Layer):
    """Raises what it was given."""

    def __init__(self, error: Exception, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.error = error

    def call(self, inputs: Any, scale: float = 2.0, training: Any = None) -> Any:
        raise self.error


class Wide(layers.Layer):
    """Multiplies with a matrix that does not fit."""

    def call(self, inputs: Any) -> Any:
        return tf.matmul(inputs, tf.ones((7, 7)))


def test_the_text_has_the_layer_and_its_arguments() -> None:
    with pytest.raises(ValueError, match="no luck") as caught:
        Failing(ValueError("no luck"), name="bad")([tf.ones((2, 3)), None], 3.0)
    assert str(caught.value) == (
        'Exception encountered when calling layer "bad" (type Failing).\n\n'
        "no luck\n\n"
        'Call arguments received by layer "bad" (type Failing):\n'
        "  • inputs=[tf.Tensor(shape=(2, 3), dtype=float32), None]\n"
        "  • scale=3.0\n"
        "  • training=None"
    )


def test_the_innermost_layer_is_named_once_and_the_type_stays() -> None:
    model = tf.keras.Sequential([layers.Dense(4), Wide(name="wide")])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        model(tf.ones((2, 3)))
    text = str(caught.value)
    assert text.startswith('Exception encountered when calling layer "wide" (type Wide).')
    assert text.count("Exception encountered") == 1
    assert caught.value.message == text


@pytest.mark.parametrize(
    "error", [KeyError("k"), OSError(2, "gone"), ValueError()], ids=["key", "os", "empty"]
)
def test_an_error_that_is_more_than_a_text_gets_a_note(error: Exception) -> None:
    args = error.args
    with pytest.raises(type(error)) as caught:
        Failing(error, name="bad")(tf.ones((2,)))
    assert caught.value is error
    assert error.args == args
    assert 'layer "bad" (type Failing)' in error.__notes__[0]


def test_wrong_arguments_are_shown_as_given() -> None:
    with pytest.raises(
        TypeError, match=r"(?s)unexpected keyword argument 'colour'.*args\[0\]=tf.Tensor.*colour='red'"
    ):
        Wide()(tf.ones((2, 7)), colour="red")


def test_long_arguments_are_cut() -> None:
    with pytest.raises(ValueError, match=r"scale='x{199}\.\.\.\n"):
        Failing(ValueError("no"))(tf.ones((2,)), "x" * 5000)


def test_before_there_is_data_it_says_which_size_is_none() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(?s)\[96,3\].*size 96 stands for None: it is not known"
    ):
        Wide()(tf.keras.Input((3,)))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        Wide()(tf.keras.Input(batch_shape=(2, 3)))
    assert "stands for None" not in str(caught.value)


def test_inputs_that_do_not_fit_are_refused_before_the_call() -> None:
    dense = layers.Dense(2)
    dense.build((None, 3))
    with pytest.raises(ValueError, match='^Input 0 of layer "dense'):
        dense(tf.ones((2, 4)))
