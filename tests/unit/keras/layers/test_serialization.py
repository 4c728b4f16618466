"""Layers by name."""

import pytest

import tapeflow as tf
from tapeflow.keras.layers.serialization import LAYERS, get

layers = tf.keras.layers


def test_a_layer_goes_through_its_config() -> None:
    dense = layers.Dense(3, activation="relu", name="d")
    copy = layers.deserialize(layers.serialize(dense))
    assert type(copy) is layers.Dense
    assert copy.get_config() == dense.get_config()


def test_get_takes_configs_names_and_layers() -> None:
    dense = layers.Dense(1)
    assert get(None) is None
    assert get(dense) is dense
    assert type(get("Flatten")) is layers.Flatten
    assert get({"class_name": "Dense", "config": {"units": 4}}).units == 4
    with pytest.raises(ValueError, match="Could not interpret layer identifier: 3"):
        get(3)


def test_models_and_own_classes_are_found() -> None:
    class Mine(layers.Layer):
        pass

    inner = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(1)])
    assert layers.deserialize(layers.serialize(inner)).output_shape == (None, 1)
    config = {"class_name": "Mine", "config": {}}
    assert type(layers.deserialize(config, {"Mine": Mine})) is Mine
    with pytest.raises(ValueError, match="Unknown layer: 'Mine'"):
        layers.deserialize(config)


def test_all_layers_of_the_package_are_known() -> None:
    assert {"Dense", "Sequential", "Functional"} <= set(LAYERS.known)
    assert len(LAYERS.known) == len(list(LAYERS.known))
    assert "NoSuchLayer" not in LAYERS.known
