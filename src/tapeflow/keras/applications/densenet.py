"""`DenseNet121`, `DenseNet169`, `DenseNet201`: each block receives the outputs of all blocks before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import Network, channel_axis, network, weight_files
from tapeflow.keras.graph.keras_tensor import KerasTensor

_GROWTH = 32  # channels that a block adds


def _dense_network(name: str, counts: tuple[int, ...], hashes: tuple[str, str]) -> Network:
    def body(x: KerasTensor) -> KerasTensor:
        x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)))(x)
        x = layers.Conv2D(64, 7, strides=2, use_bias=False, name="conv1/conv")(x)
        x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)))(_active(x, "conv1/"))
        x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
        for number, count in enumerate(counts, 2):
            if number > 2:
                x = _smaller(x, f"pool{number - 1}_")
            for i in range(1, count + 1):
                x = _block(x, f"conv{number}_block{i}")
        return _active(x, "")

    return network(
        name,
        f"The network of {name[-3:]} layers of Huang and others, 2016. See `VGG16` for the arguments.",
        body,
        weight_files(f"densenet/{name.lower()}_weights_tf_dim_ordering_tf_kernels", hashes),
        pool_names=("avg_pool", "max_pool"),
    )


def _active(x: KerasTensor, name: str) -> KerasTensor:
    x = layers.BatchNormalization(axis=channel_axis(), epsilon=1.001e-5, name=f"{name}bn")(x)
    return layers.Activation("relu", name=f"{name}relu")(x)


def _smaller(x: Any, name: str) -> KerasTensor:
    """Half the channels and half the size."""
    half = x.shape[channel_axis()] // 2
    x = layers.Conv2D(half, 1, use_bias=False, name=f"{name}conv")(_active(x, name))
    return layers.AveragePooling2D(2, strides=2, name=f"{name}pool")(x)


def _block(x: KerasTensor, name: str) -> KerasTensor:
    new = layers.Conv2D(4 * _GROWTH, 1, use_bias=False, name=f"{name}_1_conv")(_active(x, f"{name}_0_"))
    new = _active(new, f"{name}_1_")
    new = layers.Conv2D(_GROWTH, 3, padding="same", use_bias=False, name=f"{name}_2_conv")(new)
    return layers.Concatenate(axis=channel_axis(), name=f"{name}_concat")([x, new])


DenseNet121 = _dense_network(
    "DenseNet121",
    (6, 12, 24, 16),
    ("9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738"),
)
DenseNet169 = _dense_network(
    "DenseNet169",
    (6, 12, 32, 32),
    ("d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b"),
)
DenseNet201 = _dense_network(
    "DenseNet201",
    (6, 12, 48, 32),
    ("1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1"),
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as 0 to 1, standardised by channel."""
    return imagenet_utils.preprocess_input(x, data_format, mode="torch")


decode_predictions = imagenet_utils.decode_predictions
