"""`ResNet50`, `ResNet101`, `ResNet152`: residual networks of bottleneck blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.residual_block import active, normalized, residual_network, stacks, stem
from tapeflow.keras.graph.keras_tensor import KerasTensor


def _body(*counts: int) -> Callable[[Any], Any]:
    """The body, by how many blocks its four stacks have."""
    return lambda x: stacks(stem(x, is_active=True), counts, _block, halves_first=True)


def _block(x: KerasTensor, filters: int, stride: int, is_first: bool, name: str) -> KerasTensor:
    shortcut = x
    if is_first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x)
        shortcut = normalized(shortcut, f"{name}_0_bn")
    x = active(layers.Conv2D(filters, 1, strides=stride, name=f"{name}_1_conv")(x), f"{name}_1")
    x = active(layers.Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x), f"{name}_2")
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    x = layers.Add(name=f"{name}_add")([shortcut, normalized(x, f"{name}_3_bn")])
    return layers.Activation("relu", name=f"{name}_out")(x)


ResNet50 = residual_network(
    "ResNet50",
    2015,
    _body(3, 4, 6, 3),
    ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"),
)
ResNet101 = residual_network(
    "ResNet101",
    2015,
    _body(3, 4, 23, 3),
    ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"),
)
ResNet152 = residual_network(
    "ResNet152",
    2015,
    _body(3, 8, 36, 3),
    ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"),
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as BGR less ImageNet's mean."""
    return imagenet_utils.preprocess_input(x, data_format, mode="caffe")


decode_predictions = imagenet_utils.decode_predictions
