"""`MobileNet`: depthwise and pointwise convolutions in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import NetworkOptions, assemble, channel_axis, weight_files
from tapeflow.keras.applications.sizes import rows_of, trained_size
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model

_SIZES = (128, 160, 192, 224)
_ALPHAS = {0.25: "2_5", 0.5: "5_0", 0.75: "7_5", 1.0: "1_0"}  # as file names have them
# Filters and stride of each block.
_BLOCKS = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1), (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1)),
)


def MobileNet(
    input_shape: Sequence[int | None] | None = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 1e-3,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: TensorLike | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: ActivationLike = "softmax",
) -> Model:
    """The network of Howard and others, 2017. See `VGG16` for the other arguments.

    Args:
        alpha: how wide it is, as a share of the usual width.
        depth_multiplier: how many results the convolution for a channel has.
        dropout: the share of features that the top drops in training.
    """
    if weights == "imagenet":
        if depth_multiplier != 1:
            raise ValueError(
                "If imagenet weights are being loaded, depth multiplier must be 1.  Received "
                f"depth_multiplier={depth_multiplier}"
            )
        if alpha not in _ALPHAS:
            raise ValueError(
                "If imagenet weights are being loaded, alpha can be one of `0.25`, `0.50`, `0.75` or `1.0` only.  "
                f"Received alpha={alpha}"
            )
    size = trained_size(input_shape, _SIZES)
    rows = rows_of(input_shape, size if include_top else None)

    def body(x: KerasTensor) -> KerasTensor:
        x = layers.Conv2D(
            int(32 * alpha), (3, 3), padding="same", use_bias=False, strides=(2, 2), name="conv1"
        )(x)
        x = _active(x, "conv1")
        for number, (filters, stride) in enumerate(_BLOCKS, 1):
            x = _block(x, int(filters * alpha), stride, depth_multiplier, number)
        return x

    def head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = layers.Dropout(dropout, name="dropout")(x)
        x = layers.Conv2D(classes, (1, 1), padding="same", name="conv_preds")(x)
        x = layers.Reshape((classes,), name="reshape_2")(x)
        return layers.Activation(activation, name="predictions")(x)

    return assemble(
        f"mobilenet_{alpha:0.2f}_{size if weights == 'imagenet' else rows}",
        body,
        NetworkOptions(
            include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
        ),
        weight_files(f"mobilenet/mobilenet_{_ALPHAS.get(alpha)}_{size}_tf", ending="_no_top"),
        size=size,
        head=head,
    )


def _active(x: KerasTensor, name: str) -> KerasTensor:
    x = layers.BatchNormalization(axis=channel_axis(), name=f"{name}_bn")(x)
    return layers.ReLU(6.0, name=f"{name}_relu")(x)


def _block(x: KerasTensor, filters: int, stride: int, multiplier: int, number: int) -> KerasTensor:
    if stride == 2:
        x = layers.ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{number}")(x)
    x = layers.DepthwiseConv2D(
        (3, 3),
        padding="same" if stride == 1 else "valid",
        depth_multiplier=multiplier,
        strides=stride,
        use_bias=False,
        name=f"conv_dw_{number}",
    )(x)
    x = _active(x, f"conv_dw_{number}")
    x = layers.Conv2D(filters, (1, 1), padding="same", use_bias=False, name=f"conv_pw_{number}")(x)
    return _active(x, f"conv_pw_{number}")


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
