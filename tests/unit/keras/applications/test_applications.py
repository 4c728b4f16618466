"""What networks take and refuse, where weights come from, pixels scaled and classes named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import input_shape_for

applications = tf.keras.applications
SMALL: dict[str, Any] = {"weights": None, "include_top": False, "input_shape": (32, 32, 3)}


def test_weights_go_to_a_file_and_come_back(tmp_path: Path) -> None:
    first = applications.MobileNetV2(alpha=0.35, pooling="max", **SMALL)
    assert first.output_shape == (None, 1280)
    file = str(tmp_path / "mobile.weights.h5")
    first.save_weights(file)
    second = applications.MobileNetV2(alpha=0.35, pooling="max", **{**SMALL, "weights": file})
    for one, other in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_network_is_built_on_an_input_and_trained_in_part() -> None:
    inputs = tf.keras.Input((32, 32, 3))
    base = applications.MobileNetV2(
        weights=None, include_top=True, classes=3, alpha=0.35, input_tensor=inputs, classifier_activation=None
    )
    assert base.output_shape == (None, 3)
    base.trainable = False
    assert base.trainable_weights == []


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: applications.VGG16(weights="missing.h5"), "path to the weights file"),
        (lambda: applications.VGG16(classes=3), "`classes` should be 1000"),
        (lambda: applications.MobileNetV2(alpha=0.9), "alpha must be one of"),
        (lambda: applications.MobileNetV2(alpha=0.35, pooling="sum", **SMALL), "pooling to be None"),
        (lambda: input_shape_for((32, 32), 224, 32, None, False), "tuple of three integers"),
        (lambda: input_shape_for((16, 32, 3), 224, 32, None, False), "at least 32x32"),
        (lambda: input_shape_for((32, 32, 3), 224, 32, "imagenet", True), r"should be \(224, 224, 3\)"),
        (lambda: input_shape_for((64, 64, 1), 224, 32, "imagenet", False), "must have 3 channels"),
        (lambda: input_shape_for((None, 32, 3), 224, 32, None, True), "static `input_shape`"),
        (lambda: imagenet_utils.preprocess_input(np.zeros((1, 2, 2, 3)), mode="x"), "Expected mode"),
        (lambda: applications.vgg16.decode_predictions(np.zeros((1, 5))), "expects a batch of predictions"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(wrong: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        wrong()


def test_odd_channels_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="5 input channels"):
        assert input_shape_for((32, 32, 5), 224, 32, None, False) == (32, 32, 5)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("vgg16", [30 - 103.939, 20 - 116.779, 10 - 123.68]),
        ("mobilenet_v2", [10 / 127.5 - 1, 20 / 127.5 - 1, 30 / 127.5 - 1]),
        ("efficientnet", [10, 20, 30]),
    ],
)
def test_pixels_are_scaled(module: str, expected: list[float]) -> None:
    scale = getattr(applications, module).preprocess_input
    image = np.array([[[[10, 20, 30]]]], np.float32)
    np.testing.assert_allclose(np.asarray(scale(image.copy()))[0, 0, 0], expected, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(scale(tf.constant(image)))[0, 0, 0], expected, rtol=1e-5)


def test_torch_mode_standardises_each_channel() -> None:
    found = imagenet_utils.preprocess_input(np.full((1, 1, 1, 3), 255), mode="torch")
    np.testing.assert_allclose(
        found[0, 0, 0], [(1 - 0.485) / 0.229, (1 - 0.456) / 0.224, (1 - 0.406) / 0.225]
    )


def test_classes_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "classes.json"
    file.write_text(json.dumps({str(i): [f"n{i}", f"thing{i}"] for i in range(1000)}))
    asked: list[str] = []

    def found(name: str, *_: Any, **options: Any) -> str:
        asked.append(name)
        assert len(options["file_hash"]) == len(hashlib.md5(b"").hexdigest())
        return str(file)

    monkeypatch.setattr(imagenet_utils, "get_file", found)
    scores = np.zeros((1, 1000), np.float32)
    scores[0, 7], scores[0, 3] = 0.75, 0.25
    assert applications.resnet50.decode_predictions(scores, top=2) == [
        [("n7", "thing7", 0.75), ("n3", "thing3", 0.25)]
    ]
    assert asked == ["imagenet_class_index.json"]
