"""Models exported to ONNX predict in onnxruntime what they predict here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import tapeflow as tf

sys.path.insert(0, str(Path(__file__).parent / "saved_models"))

from models import MODELS, TEXTUAL, inputs_of

QUICK = (
    *("act_gelu", "conv2d", "conv1d_transpose", "depthwise_1d", "embedding_gru_open", "bidirectional"),
    *("transformer_open", "merges", "paddings", "integers"),
)
APPLICATIONS = {
    "MobileNetV2": 64,
    "ResNet50": 64,
    "EfficientNetB0": 64,
    "DenseNet121": 64,
    "Xception": 96,
    "InceptionV3": 96,
    "VGG16": 32,
    "NASNetMobile": 64,
    "ConvNeXtTiny": 64,
    "MobileNetV3Small": 64,
}


def difference(model: Any, path: Path, inputs: list[np.ndarray]) -> float:
    session = onnxruntime.InferenceSession(str(path))
    found = session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs, strict=True)})
    expected = tf.nest.flatten(model(inputs if len(inputs) > 1 else inputs[0], training=False))
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.numpy().dtype)
    return max(np.abs(one - other.numpy()).max() for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in MODELS if n not in TEXTUAL],
)
def test_layers(name: str, tmp_path: Path) -> None:
    tf.keras.utils.set_random_seed(1)
    model = MODELS[name]()
    model.export(tmp_path / "m.onnx", format="onnx")
    onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)
    assert difference(model, tmp_path / "m.onnx", inputs_of(model)) < 1e-5
    assert difference(model, tmp_path / "m.onnx", inputs_of(model, rows=5, open_size=12)) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("opset", [19, 20, 21, 22, 23, 24])
@pytest.mark.parametrize("name", QUICK)
def test_versions_of_ops(name: str, opset: int, tmp_path: Path) -> None:
    model = MODELS[name]()
    model.export(tmp_path / "m.onnx", format="onnx", opset_version=opset)
    onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)
    assert difference(model, tmp_path / "m.onnx", inputs_of(model)) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", APPLICATIONS)
def test_applications(name: str, tmp_path: Path) -> None:
    tf.keras.utils.set_random_seed(1)
    size = APPLICATIONS[name]
    model = getattr(tf.keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=10)
    model.export(tmp_path / "m.onnx", format="onnx")
    images = np.random.default_rng(0).normal(size=(2, size, size, 3)).astype("float32")
    assert difference(model, tmp_path / "m.onnx", [images]) < 1e-5
