"""Lambda, and how its function is written down."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def double(x: Any) -> Any:
    return x * 2


@tf.keras.utils.register_keras_serializable("lambda_tests")
def triple(x: Any) -> Any:
    return x * 3


def test_arguments_mask_and_training_are_passed() -> None:
    got = {}

    def function(x: Any, by: float, mask: Any = None, training: Any = None) -> Any:
        got.update(mask=mask, training=training)
        return x * by

    x = tf.ones((2, 3))
    x._keras_mask = tf.constant([True, False])
    y = L.Lambda(function, arguments={"by": 4.0})(x, training=True)
    assert got["training"] is True
    assert got["mask"] is x._keras_mask
    assert float(y[0, 0]) == 4


def test_mask_of_the_output() -> None:
    layer = L.Lambda(double, mask=lambda inputs, mask: inputs[:, 0] > 0)
    np.testing.assert_array_equal(layer(tf.constant([[1.0], [-1.0]]))._keras_mask.numpy(), [True, False])


def test_output_shape() -> None:
    assert tuple(L.Lambda(double).compute_output_shape((None, 3))) == (None, 3)
    assert tuple(L.Lambda(double, output_shape=(4,)).compute_output_shape((None, 3))) == (None, 4)
    by_function = L.Lambda(double, output_shape=lambda shape: (shape[0], 7))
    assert tuple(by_function.compute_output_shape((2, 3))) == (2, 7)


def test_several_inputs() -> None:
    assert float(L.Lambda(lambda xs: xs[0] + xs[1])([tf.constant(1.0), tf.constant(2.0)])) == 3


@pytest.mark.parametrize("function", [double, triple, lambda x: x * 5, tf.nn.relu, tf.abs])
def test_a_config_is_plain_and_is_found_again_in_this_process(function: Any) -> None:
    config = json.loads(json.dumps(L.serialize(L.Lambda(function))))
    assert L.deserialize(config).function is function


def test_functions_of_one_name_are_told_apart() -> None:
    def make(by: int) -> Any:
        def scaled(x: Any) -> Any:
            return x * by

        return scaled

    model = tf.keras.Sequential([L.Lambda(make(2), input_shape=(1,)), L.Lambda(make(5))])
    assert float(tf.keras.models.clone_model(model)(tf.ones((1, 1)))[0, 0]) == 10


def test_array_arguments_survive() -> None:
    layer = L.Lambda(_plus, arguments={"shift": np.array([1.0, 2.0])})
    again = L.deserialize(json.loads(json.dumps(L.serialize(layer))))
    np.testing.assert_array_equal(again(tf.zeros((1, 2))).numpy(), [[1, 2]])


def _plus(x: Any, shift: Any) -> Any:
    return x + tf.cast(shift, x.dtype)


def _from_elsewhere(function: Any) -> dict[str, Any]:
    """A config as another process would have written it."""
    config = L.serialize(L.Lambda(function, name="mine"))
    config["config"]["function"]["token"] = "another-process-0"
    return config


def test_a_function_of_another_process_must_be_given() -> None:
    held = object()
    with pytest.raises(
        ValueError, match="saved with a lambda as its function, whose code is not in the file"
    ):
        L.deserialize(_from_elsewhere(lambda x: (x, held)))
    with pytest.raises(ValueError, match="The function of Lambda layer 'mine' is code inside the file"):
        L.deserialize(_from_elsewhere(lambda x: x))
    with pytest.raises(ValueError, match=re.escape("custom_objects={'mine': your_function}")):
        L.deserialize(_from_elsewhere(double))
    assert L.deserialize(_from_elsewhere(double), {"double": triple}).function is triple
    assert L.deserialize(_from_elsewhere(lambda x: x), {"mine": double}).function is double


def test_what_is_no_function_raises() -> None:
    with pytest.raises(TypeError, match="Lambda expected a function of the inputs"):
        L.Lambda(3)
