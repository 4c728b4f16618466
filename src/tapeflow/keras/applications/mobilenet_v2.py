"""`MobileNetV2`: inverted residual blocks with depthwise convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import NetworkOptions, assemble, channel_axis, weight_files
from tapeflow.keras.applications.sizes import in_eights, padding_before_stride, rows_of, trained_size
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model

_SIZES = (96, 128, 160, 192, 224)
_ALPHAS = (0.35, 0.50, 0.75, 1.0, 1.3, 1.4)
# Filters, stride and widening of each block.
_BLOCKS = (
    *((16, 1, 1), (24, 2, 6), (24, 1, 6), (32, 2, 6), (32, 1, 6), (32, 1, 6)),
    *((64, 2, 6), (64, 1, 6), (64, 1, 6), (64, 1, 6), (96, 1, 6), (96, 1, 6), (96, 1, 6)),
    *((160, 2, 6), (160, 1, 6), (160, 1, 6), (320, 1, 6)),
)


def MobileNetV2(
    input_shape: Sequence[int | None] | None = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: ActivationLike = "softmax",
) -> Model:
    """The network of Sandler and others, 2018. See `VGG16` for the other arguments.

    Args:
        alpha: how wide it is, as a share of the usual width.
    """
    if weights == "imagenet" and alpha not in _ALPHAS:
        raise ValueError(
            f"If imagenet weights are being loaded, alpha must be one of {_ALPHAS} only; Received `alpha={alpha}`"
        )
    shape = input_shape if input_tensor is None else tuple(input_tensor.shape)[1:]
    size = trained_size(shape, _SIZES)
    rows = rows_of(input_shape, size if include_top else None)
    file = f"mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{size}"
    return assemble(
        f"mobilenetv2_{alpha:0.2f}_{size if weights == 'imagenet' else rows}",
        lambda x: _body(x, alpha),
        NetworkOptions(
            include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
        ),
        weight_files(file, ending="_no_top"),
        size=size,
        head=_head,
    )


def _head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
    x = layers.GlobalAveragePooling2D()(x)
    return layers.Dense(classes, activation=activation, name="predictions")(x)


def _normalized(x: KerasTensor, name: str) -> KerasTensor:
    return layers.BatchNormalization(axis=channel_axis(), epsilon=1e-3, momentum=0.999, name=name)(x)


def _body(x: KerasTensor, alpha: float) -> KerasTensor:
    x = layers.Conv2D(in_eights(32 * alpha), 3, strides=(2, 2), padding="same", use_bias=False, name="Conv1")(
        x
    )
    x = layers.ReLU(6.0, name="Conv1_relu")(_normalized(x, "bn_Conv1"))
    for number, (filters, stride, widening) in enumerate(_BLOCKS):
        x = _block(x, in_eights(int(filters * alpha)), stride, widening, number)
    last = in_eights(1280 * alpha) if alpha > 1 else 1280
    x = layers.Conv2D(last, 1, use_bias=False, name="Conv_1")(x)
    return layers.ReLU(6.0, name="out_relu")(_normalized(x, "Conv_1_bn"))


def _block(inputs: Any, filters: int, stride: int, widening: int, number: int) -> KerasTensor:
    width = inputs.shape[channel_axis()]
    name = f"block_{number}_" if number else "expanded_conv_"
    x = inputs
    if number:
        x = layers.Conv2D(widening * width, 1, padding="same", use_bias=False, name=f"{name}expand")(x)
        x = layers.ReLU(6.0, name=f"{name}expand_relu")(_normalized(x, f"{name}expand_BN"))
    if stride == 2:
        x = layers.ZeroPadding2D(padding=padding_before_stride(x, 3), name=f"{name}pad")(x)
    padding = "same" if stride == 1 else "valid"
    x = layers.DepthwiseConv2D(3, strides=stride, use_bias=False, padding=padding, name=f"{name}depthwise")(x)
    x = layers.ReLU(6.0, name=f"{name}depthwise_relu")(_normalized(x, f"{name}depthwise_BN"))
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{name}project")(x)
    x = _normalized(x, f"{name}project_BN")
    return layers.Add(name=f"{name}add")([inputs, x]) if width == filters and stride == 1 else x


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
