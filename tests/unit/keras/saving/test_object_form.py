"""Configs with module and registered name: `tf.keras.saving.serialize_keras_object` and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

saving = tf.keras.saving
there, back = saving.serialize_keras_object, saving.deserialize_keras_object


@saving.register_keras_serializable("pack", "Named")
class Mine:
    def __init__(self, size: int, penalty: Any = None) -> None:
        self.size, self.penalty = size, penalty

    def get_config(self) -> dict[str, Any]:
        return {"size": self.size, "penalty": self.penalty}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Mine:
        penalty = config.pop("penalty")
        return cls(**config, penalty=back(penalty))


@saving.register_keras_serializable("pack")
def tripled(x: Any) -> Any:
    return 3.0 * x


def test_a_layer_says_where_its_parts_are_found() -> None:
    config = there(tf.keras.layers.Dense(2, name="d", dtype="mixed_float16"))
    assert (config["module"], config["class_name"], config["registered_name"]) == (
        "keras.layers",
        "Dense",
        None,
    )
    assert config["config"]["kernel_initializer"] == {
        "module": "keras.initializers",
        "class_name": "GlorotUniform",
        "config": {"seed": None},
        "registered_name": None,
    }
    assert config["config"]["dtype"]["module"] == "keras.mixed_precision"
    again = back(json.loads(json.dumps(config)))
    assert (again.units, again.name, again.compute_dtype) == (2, "d", "float16")


def test_objects_of_ones_own() -> None:
    config = there(Mine(3, tf.keras.regularizers.L2(0.5)))
    assert (config["module"], config["class_name"]) == (__name__, "Mine")
    assert config["registered_name"] == "pack>Named"
    again = back(config)
    assert (again.size, again.penalty.l2) == (3, 0.5)
    function = there(tripled)
    assert function == {
        "module": "builtins",
        "class_name": "function",
        "config": "pack>tripled",
        "registered_name": "function",
    }
    assert back(function) is tripled
    assert back(there(tf.nn.relu))(-1.0) == 0.0


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        2,
        2.5,
        "dense",
        [1, "a"],
        (1, (2.0,)),
        {"a": {"b": (1,)}},
        b"ab",
        tf.TensorSpec([1, None], name="x"),
    ],
)
def test_values_there_and_back(value: Any) -> None:
    assert back(there(value)) == value


def test_numbers_there_and_back() -> None:
    tensor = back(there(tf.constant([1.0, 2.0], tf.float16)))
    assert (tensor.dtype, tensor.numpy().tolist()) == (tf.float16, [1.0, 2.0])
    array = back(there(np.array([[1, 2]], np.int16)))
    assert (array.dtype, array.tolist()) == (np.int16, [[1, 2]])
    assert there(np.float32(0.5)) == 0.5
    assert (there(tf.TensorShape([1, None])), there(tf.float32)) == ([1, None], "float32")


def test_code_is_refused_unless_trusted() -> None:
    config = there(lambda x: x + 1)
    assert config["class_name"] == "__lambda__"
    with pytest.raises(ValueError, match="__lambda__"):
        back(config)


def test_errors() -> None:
    with pytest.raises(TypeError, match="Cannot serialize object .* must implement the `get_config"):
        there(object())
    with pytest.raises(TypeError, match="Cannot serialize object"):
        there(slice(1, 2))
