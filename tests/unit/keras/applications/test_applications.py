"""What networks take and refuse, where weights come from, pixels scaled and classes named."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.applications import assembly, imagenet_utils
from tapeflow.keras.applications.assembly import WeightFile, input_shape_for

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


def test_a_network_is_built_on_what_layers_make_of_an_input() -> None:
    inputs = tf.keras.Input((32, 32, 3))
    flipped = tf.keras.layers.RandomFlip(name="flip")(inputs)
    left, right = flipped + 1.0, flipped * 2.0
    model = applications.MobileNetV2(
        weights=None, include_top=False, alpha=0.35, input_tensor=tf.keras.layers.Add()([left, right])
    )
    assert model.input is inputs
    assert model.get_layer("flip") in model.layers


def test_a_network_goes_to_a_file_and_comes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = applications.MobileNetV3Small(
        weights=None, classes=3, alpha=0.35, minimalistic=True, input_shape=(32, 32, 3)
    )
    model.save(tmp_path / "network.keras")
    again = tf.keras.models.load_model(tmp_path / "network.keras")
    assert [layer.name for layer in again.layers] == [layer.name for layer in model.layers]
    for one, other in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    again.summary()
    assert f"Total params: {model.count_params()} " in capsys.readouterr().out


def test_every_network_says_what_it_is() -> None:
    names = [name for name in dir(applications) if name[0].isupper()]
    assert len(names) == 71
    for name in names:
        build = getattr(applications, name)
        assert (build.__name__, build.__doc__.count("VGG16")) == (name, 0 if name.startswith("VGG") else 1)
        assert "weights" in inspect.signature(build).parameters


def test_trained_weights_are_asked_for_by_name_and_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, str | None]] = []

    class Asked(Exception):
        pass

    def get_file(name: str, url: str, *, cache_subdir: str, file_hash: str | None) -> str:
        asked.append((name, url.removeprefix(assembly.ADDRESS), file_hash))
        raise Asked

    monkeypatch.setattr(assembly, "get_file", get_file)
    asking: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (applications.MobileNet, {"alpha": 0.25, "input_shape": (160, 160, 3)}),
        (applications.VGG16, {"include_top": False}),
        (applications.ResNetRS152, {"weights": "imagenet-i192", "include_top": False}),
        (applications.ResNetRS152, {}),
    ]
    for build, options in asking:
        with pytest.raises(Asked):
            build(**options)
    with pytest.raises(Asked):
        assembly.fetched(WeightFile(f"{assembly.ADDRESS}nasnet/NASNet-mobile.h5", None, "nasnet_mobile.h5"))
    vgg = "vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5"
    assert asked == [
        ("mobilenet_2_5_160_tf.h5", "mobilenet/mobilenet_2_5_160_tf.h5", None),
        (vgg, f"vgg16/{vgg}", "6d6bbae143d832006294945121d1f1fc"),
        (
            "resnet-rs-152-i192_notop.h5",
            "resnet_rs/resnet-rs-152-i192_notop.h5",
            "5fbf7ac2155cb4d5a6180ee9e3aa8704",
        ),
        ("resnet-rs-152-i256.h5", "resnet_rs/resnet-rs-152-i256.h5", "ba6271b99bdeb4e7a9b15c05964ef4ad"),
        ("nasnet_mobile.h5", "nasnet/NASNet-mobile.h5", None),
    ]


def test_nasnet_wants_channels_last() -> None:
    tf.keras.backend.set_image_data_format("channels_first")
    try:
        with pytest.raises(
            ValueError, match="images with channels last; got image_data_format='channels_first'"
        ):
            applications.NASNetMobile(weights=None)
    finally:
        tf.keras.backend.set_image_data_format("channels_last")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: applications.VGG16(weights="missing.h5"), "path to the weights file"),
        (lambda: applications.VGG16(classes=3), "`classes` should be 1000"),
        (lambda: applications.MobileNetV2(alpha=0.9), "alpha must be one of"),
        (lambda: applications.VGG19(classifier_activation="relu"), "Only `None` and `softmax` activations"),
        (lambda: applications.VGG19(weights=None, input_tensor=np.ones(3)), "input_tensor=ndarray. Call the"),
        (lambda: applications.MobileNet(alpha=0.9), "alpha can be one of"),
        (lambda: applications.MobileNet(depth_multiplier=2), "depth multiplier must be 1"),
        (lambda: applications.MobileNetV3Small(alpha=0.75, minimalistic=True), "for non minimalistic"),
        (lambda: applications.NASNetLarge(weights=None, input_shape=(None, 9, 3)), "images of one size, on"),
        (lambda: applications.ResNetRS50(weights="imagenet-i999"), "path to the weights file"),
        (lambda: applications.ResNetRS50(weights="imagenet-i160", classes=3), "`classes` should be 1000"),
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
        ("densenet", [(10 / 255 - 0.485) / 0.229, (20 / 255 - 0.456) / 0.224, (30 / 255 - 0.406) / 0.225]),
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
