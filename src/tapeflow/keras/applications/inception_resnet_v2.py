"""`InceptionResNetV2`: Inception blocks with parallel branches and residual connections."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import channel_axis, network, weight_files
from tapeflow.keras.applications.inception_block import Step, conv, joined, largest, stem, way, wide
from tapeflow.keras.applications.scale_layers import CustomScaleLayer
from tapeflow.keras.graph.keras_tensor import KerasTensor

Ways = tuple[tuple[Step, ...], ...]
_BLOCK35: Ways = (
    ((32, 1, 1),),
    ((32, 1, 1), (32, 3, 3)),
    ((32, 1, 1), (48, 3, 3), (64, 3, 3)),
)
_BLOCK17: Ways = (((192, 1, 1),), ((128, 1, 1), (160, 1, 7), (192, 7, 1)))
_BLOCK8: Ways = (((192, 1, 1),), ((192, 1, 1), (224, 1, 3), (256, 3, 1)))


def _body(x: KerasTensor) -> KerasTensor:
    x = wide(stem(x), 96, 64, "mixed_5b")
    for i in range(1, 11):
        x = _block(x, _BLOCK35, 0.17, f"block35_{i}")
    x = _smaller(x)
    for i in range(1, 21):
        x = _block(x, _BLOCK17, 0.1, f"block17_{i}")
    x = _smallest(x)
    for i in range(1, 10):
        x = _block(x, _BLOCK8, 0.2, f"block8_{i}")
    x = _sum(x, _BLOCK8, 1.0, "block8_10")
    return conv(x, 1536, 1, 1, name="conv_7b")


def _block(x: KerasTensor, ways: Ways, scale: float, name: str) -> KerasTensor:
    return layers.Activation("relu", name=f"{name}_ac")(_sum(x, ways, scale, name))


def _sum(x: KerasTensor, ways: Ways, scale: float, name: str) -> Any:
    new = joined([way(x, *steps) for steps in ways], f"{name}_mixed")
    new = layers.Conv2D(x.shape[channel_axis()], 1, padding="same", name=f"{name}_conv")(new)
    return CustomScaleLayer(scale)([x, new])


def _smaller(x: KerasTensor) -> KerasTensor:
    three = conv(x, 384, 3, 3, 2, "valid")
    twice = conv(way(x, (256, 1, 1), (256, 3, 3)), 384, 3, 3, 2, "valid")
    return joined([three, twice, largest(x)], "mixed_6a")


def _smallest(x: KerasTensor) -> KerasTensor:
    many = conv(conv(x, 256, 1, 1), 384, 3, 3, 2, "valid")
    fewer = conv(conv(x, 256, 1, 1), 288, 3, 3, 2, "valid")
    twice = conv(way(x, (256, 1, 1), (288, 3, 3)), 320, 3, 3, 2, "valid")
    return joined([many, fewer, twice, largest(x)], "mixed_7a")


InceptionResNetV2 = network(
    "InceptionResNetV2",
    "The network of Szegedy and others, 2016, for images of 299 pixels. See `VGG16` for the arguments.",
    _body,
    weight_files(
        "inception_resnet_v2/inception_resnet_v2_weights_tf_dim_ordering_tf_kernels",
        ("e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4"),
    ),
    model_name="inception_resnet_v2",
    size=299,
    min_size=75,
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
