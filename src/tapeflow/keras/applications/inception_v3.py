"""`InceptionV3`: blocks of several ways side by side, each a few convolutions."""

from __future__ import annotations

from typing import Any

from tapeflow.keras import layers
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import (
    WeightFile,
    assemble,
    channel_axis,
    check_weights,
    input_shape_for,
)
from tapeflow.keras.models import Model

_BASE = (
    "https://storage.googleapis.com/tensorflow/keras-applications/inception_v3/"
    "inception_v3_weights_tf_dim_ordering_tf_kernels"
)
_FILES = (
    WeightFile(f"{_BASE}.h5", "9a0d58056eeedaa3f26cb7ebd46da564"),
    WeightFile(f"{_BASE}_notop.h5", "bcbd6486424b2319ff4ef7d526e38f63"),
)

Step = tuple[int, int, int]  # filters, rows, columns


def InceptionV3(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
) -> Model:
    """The network of Szegedy and others, 2015, for images of 299 pixels. See `VGG16` for the arguments."""
    check_weights(weights, include_top, classes)
    return assemble(
        "inception_v3",
        _body,
        include_top=include_top,
        weights=weights,
        input_tensor=input_tensor,
        shape=input_shape_for(input_shape, 299, 75, weights, include_top),
        pooling=pooling,
        classes=classes,
        classifier_activation=classifier_activation,
        files=_FILES,
    )


def _conv(x: Any, filters: int, rows: int, columns: int, strides: int = 1, padding: str = "same") -> Any:
    x = layers.Conv2D(filters, (rows, columns), strides=strides, padding=padding, use_bias=False)(x)
    x = layers.BatchNormalization(axis=channel_axis(), scale=False)(x)
    return layers.Activation("relu")(x)


def _way(x: Any, *steps: Step) -> Any:
    for step in steps:
        x = _conv(x, *step)
    return x


def _pooled(x: Any, filters: int) -> Any:
    x = layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same")(x)
    return _conv(x, filters, 1, 1)


def _joined(ways: list[Any], name: str | None) -> Any:
    return layers.Concatenate(axis=channel_axis(), name=name)(ways)


def _body(x: Any) -> Any:
    x = _conv(x, 32, 3, 3, 2, "valid")
    x = _conv(x, 32, 3, 3, 1, "valid")
    x = _conv(x, 64, 3, 3)
    x = layers.MaxPooling2D((3, 3), strides=(2, 2))(x)
    x = _conv(x, 80, 1, 1, 1, "valid")
    x = _conv(x, 192, 3, 3, 1, "valid")
    x = layers.MaxPooling2D((3, 3), strides=(2, 2))(x)
    for i, filters in enumerate((32, 64, 64)):
        x = _wide(x, filters, f"mixed{i}")
    x = _smaller(x)
    for i, filters in enumerate((128, 160, 160, 192), 4):
        x = _long(x, filters, f"mixed{i}")
    x = _smallest(x)
    for i in range(2):
        x = _spread(x, i)
    return x


def _wide(x: Any, filters: int, name: str) -> Any:
    one = _conv(x, 64, 1, 1)
    five = _way(x, (48, 1, 1), (64, 5, 5))
    three = _way(x, (64, 1, 1), (96, 3, 3), (96, 3, 3))
    return _joined([one, five, three, _pooled(x, filters)], name)


def _smaller(x: Any) -> Any:
    three = _conv(x, 384, 3, 3, 2, "valid")
    twice = _conv(_way(x, (64, 1, 1), (96, 3, 3)), 96, 3, 3, 2, "valid")
    return _joined([three, twice, layers.MaxPooling2D((3, 3), strides=(2, 2))(x)], "mixed3")


def _long(x: Any, filters: int, name: str) -> Any:
    one = _conv(x, 192, 1, 1)
    seven = _way(x, (filters, 1, 1), (filters, 1, 7), (192, 7, 1))
    twice = _way(x, (filters, 1, 1), (filters, 7, 1), (filters, 1, 7), (filters, 7, 1), (192, 1, 7))
    return _joined([one, seven, twice, _pooled(x, 192)], name)


def _smallest(x: Any) -> Any:
    three = _conv(_conv(x, 192, 1, 1), 320, 3, 3, 2, "valid")
    seven = _conv(_way(x, (192, 1, 1), (192, 1, 7), (192, 7, 1)), 192, 3, 3, 2, "valid")
    return _joined([three, seven, layers.MaxPooling2D((3, 3), strides=(2, 2))(x)], "mixed8")


def _spread(x: Any, number: int) -> Any:
    one = _conv(x, 320, 1, 1)
    three = _conv(x, 384, 1, 1)
    three = _joined([_conv(three, 384, 1, 3), _conv(three, 384, 3, 1)], f"mixed9_{number}")
    twice = _way(x, (448, 1, 1), (384, 3, 3))
    twice = _joined([_conv(twice, 384, 1, 3), _conv(twice, 384, 3, 1)], None)
    return _joined([one, three, twice, _pooled(x, 192)], f"mixed{9 + number}")


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
