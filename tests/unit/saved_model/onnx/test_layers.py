"""Convolutions, pooling and resizing in ONNX, for odd sizes, open sizes and the channels first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
LAYERS = {
    "conv_same_strides": lambda: L.Conv2D(4, (3, 2), strides=2, padding="same"),
    "conv_dilated": lambda: L.Conv2D(4, 3, dilation_rate=2, padding="same"),
    "conv_groups": lambda: L.Conv2D(4, 3, groups=2),
    "depthwise_same": lambda: L.DepthwiseConv2D(3, strides=2, padding="same"),
    "depthwise_wide": lambda: L.DepthwiseConv2D(2, depth_multiplier=3),
    "transpose_same": lambda: L.Conv2DTranspose(3, 3, strides=2, padding="same"),
    "transpose_valid": lambda: L.Conv2DTranspose(3, (3, 2), strides=(1, 2)),
    "transpose_wide_strides": lambda: L.Conv2DTranspose(3, 2, strides=3, padding="same"),
    "max_pool_same": lambda: L.MaxPooling2D(3, strides=2, padding="same"),
    "average_pool_same": lambda: L.AveragePooling2D(3, strides=2, padding="same"),
    "average_pool": lambda: L.AveragePooling2D((2, 3)),
    "up_nearest": lambda: L.UpSampling2D((3, 2)),
    "up_bilinear": lambda: L.UpSampling2D((3, 2), interpolation="bilinear"),
    "resizing": lambda: L.Resizing(5, 13),
    "resizing_nearest": lambda: L.Resizing(5, 13, interpolation="nearest"),
}
IMAGES = np.random.default_rng(0).normal(size=(2, 7, 10, 4)).astype("float32")


@pytest.mark.parametrize("size", [(7, 10), (None, None)])
def test_images(agrees: Any, size: Any) -> None:
    x = tf.keras.Input((*size, 4))
    model = tf.keras.Model(x, [make()(x) for make in LAYERS.values()])
    agrees(model, IMAGES)
    if size == (None, None):
        agrees(model, IMAGES[:, :6, :9])


def test_output_padding(agrees: Any) -> None:
    x = tf.keras.Input((7, 10, 4))
    agrees(tf.keras.Model(x, L.Conv2DTranspose(3, 3, strides=2, padding="same", output_padding=1)(x)), IMAGES)
    agrees(tf.keras.Model(x, L.Conv2DTranspose(3, 3, strides=2, output_padding=(0, 1))(x)), IMAGES)


def test_the_channels_first(agrees: Any) -> None:
    x = tf.keras.Input((4, 7, 10))
    y = L.Conv2D(3, 3, data_format="channels_first", padding="same")(x)
    agrees(tf.keras.Model(x, L.MaxPooling2D(data_format="channels_first")(y)), IMAGES.transpose(0, 3, 1, 2))


def test_sequences_and_volumes(agrees: Any) -> None:
    x, v = tf.keras.Input((None, 4)), tf.keras.Input((5, 6, 7, 2))
    y = [
        L.Conv1D(3, 3, strides=2, padding="same")(x),
        L.Conv1DTranspose(3, 3, strides=2)(x),
        L.AveragePooling1D()(x),
    ]
    z = [L.Conv3D(3, 3, padding="same")(v), L.Conv3DTranspose(2, 3, strides=2)(v), L.AveragePooling3D()(v)]
    agrees(
        tf.keras.Model([x, v], [*y, *z]),
        IMAGES[0],
        np.random.default_rng(1).normal(size=(7, 5, 6, 7, 2)).astype("float32"),
    )
