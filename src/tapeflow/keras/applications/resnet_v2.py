"""`ResNet50V2`, `ResNet101V2`, `ResNet152V2`: residual networks that normalize before each convolution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.residual_block import active, residual_network, stacks, stem
from tapeflow.keras.graph.keras_tensor import KerasTensor


def _body(*counts: int) -> Callable[[Any], Any]:
    """The body, by how many blocks its four stacks have."""
    return lambda x: active(stacks(stem(x, is_active=False), counts, _block, halves_first=False), "post")


def _block(x: KerasTensor, filters: int, stride: int, is_first: bool, name: str) -> KerasTensor:
    before = active(x, f"{name}_preact")
    shortcut = x
    if is_first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(before)
    elif stride > 1:
        shortcut = layers.MaxPooling2D(1, strides=stride)(x)
    x = layers.Conv2D(filters, 1, strides=1, use_bias=False, name=f"{name}_1_conv")(before)
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name=f"{name}_2_pad")(active(x, f"{name}_1"))
    x = layers.Conv2D(filters, 3, strides=stride, use_bias=False, name=f"{name}_2_conv")(x)
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(active(x, f"{name}_2"))
    return layers.Add(name=f"{name}_out")([shortcut, x])


ResNet50V2 = residual_network(
    "ResNet50V2",
    2016,
    _body(3, 4, 6, 3),
    ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917"),
)
ResNet101V2 = residual_network(
    "ResNet101V2",
    2016,
    _body(3, 4, 23, 3),
    ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5"),
)
ResNet152V2 = residual_network(
    "ResNet152V2",
    2016,
    _body(3, 8, 36, 3),
    ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33"),
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
