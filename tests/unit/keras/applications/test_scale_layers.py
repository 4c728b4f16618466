"""Layers of the networks' own: what they give, and that files with them load by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.applications.scale_layers import CustomScaleLayer, LayerScale


@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_they_scale_and_are_saved(tmp_path: Path, ending: str) -> None:
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, CustomScaleLayer(0.5)([inputs, LayerScale(0.2, 3)(inputs)]))
    model.save(tmp_path / f"model.{ending}")
    again = tf.keras.models.load_model(tmp_path / f"model.{ending}", compile=False)
    assert [type(layer) for layer in again.layers[1:]] == [LayerScale, CustomScaleLayer]
    np.testing.assert_allclose(again(np.array([[1.0, 2, 3]], np.float32)), [[1.1, 2.2, 3.3]], rtol=1e-6)


def test_keras_s_name_of_the_registered_one_is_known() -> None:
    layer = CustomScaleLayer(0.25, name="scale")
    config = tf.keras.layers.serialize(layer)
    assert config["class_name"] == "Custom>CustomScaleLayer"
    assert tf.keras.layers.deserialize(config).scale == 0.25
