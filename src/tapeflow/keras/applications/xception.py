"""`Xception`: depthwise separable convolutions with residual connections."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import channel_axis, network, weight_files
from tapeflow.keras.graph.keras_tensor import KerasTensor


def _normalized(x: KerasTensor, name: str | None = None) -> KerasTensor:
    return layers.BatchNormalization(axis=channel_axis(), name=name)(x)


def _active(x: KerasTensor, name: str) -> KerasTensor:
    return layers.Activation("relu", name=f"{name}_act")(x)


def _separable(x: KerasTensor, filters: int, name: str) -> KerasTensor:
    conv = layers.SeparableConv2D(filters, (3, 3), padding="same", use_bias=False, name=name)
    return _normalized(conv(x), f"{name}_bn")


def _body(x: KerasTensor) -> KerasTensor:
    for i, (filters, stride) in enumerate(((32, 2), (64, 1)), 1):
        name = f"block1_conv{i}"
        x = layers.Conv2D(filters, (3, 3), strides=stride, use_bias=False, name=name)(x)
        x = _active(_normalized(x, f"{name}_bn"), name)
    for number, filters in enumerate((128, 256, 728), 2):
        x = _smaller(x, filters, filters, f"block{number}")
    for number in range(5, 13):
        x = _middle(x, f"block{number}")
    x = _smaller(x, 728, 1024, "block13")
    for i, filters in enumerate((1536, 2048), 1):
        name = f"block14_sepconv{i}"
        x = _active(_separable(x, filters, name), name)
    return x


def _smaller(x: KerasTensor, first: int, second: int, name: str) -> KerasTensor:
    """Two convolutions and a pooling, and a way past them with a stride."""
    shortcut = layers.Conv2D(second, (1, 1), strides=(2, 2), padding="same", use_bias=False)(x)
    shortcut = _normalized(shortcut)
    if name != "block2":  # there, the block before has ended with it
        x = _active(x, f"{name}_sepconv1")
    x = _active(_separable(x, first, f"{name}_sepconv1"), f"{name}_sepconv2")
    x = _separable(x, second, f"{name}_sepconv2")
    x = layers.MaxPooling2D((3, 3), strides=(2, 2), padding="same", name=f"{name}_pool")(x)
    return layers.Add()([x, shortcut])


def _middle(inputs: KerasTensor, name: str) -> Any:
    x = inputs
    for i in range(1, 4):
        x = _separable(_active(x, f"{name}_sepconv{i}"), 728, f"{name}_sepconv{i}")
    return layers.Add()([x, inputs])


Xception = network(
    "Xception",
    "The network of Chollet, 2016, for images of 299 pixels. See `VGG16` for the arguments.",
    _body,
    weight_files(
        "xception/xception_weights_tf_dim_ordering_tf_kernels",
        ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97"),
    ),
    size=299,
    min_size=71,
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
