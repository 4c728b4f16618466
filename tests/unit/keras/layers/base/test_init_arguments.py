"""The arguments of a layer's `__init__`, noted for its config."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras.layers.base.init_arguments import make_layer, noted_arguments

layers = tf.keras.layers


def test_config_notes_plain_arguments_and_refuses_others() -> None:
    class Plain(layers.Layer):
        def __init__(self, size: int, rates: Any = (1, 2), **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.size, self.rates = size, rates

    layer = Plain(3, rates=[0.5], name="plain")
    copy = Plain.from_config(layer.get_config())
    assert (copy.size, copy.rates, copy.name) == (3, [0.5], "plain")
    with pytest.raises(NotImplementedError, match=r"must override `get_config\(\)`"):
        Plain(object()).get_config()  # pyright: ignore[reportArgumentType]


def test_name_and_trainable_are_set_on_classes_that_do_not_take_them() -> None:
    class Bare(layers.Layer):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.units = units

    layer = make_layer(Bare, {"units": 2, "name": "given", "trainable": False, "dtype": "float32"})
    assert (layer.units, layer.name, layer.trainable) == (2, "given", False)
    assert noted_arguments(layer) == {"units": 2}
