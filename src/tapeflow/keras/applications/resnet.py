"""`ResNet50`: blocks of three convolutions with a way past them."""

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

_BASE = "https://storage.googleapis.com/tensorflow/keras-applications/resnet/resnet50_weights_tf_dim_ordering_tf_kernels"
_FILES = (
    WeightFile(f"{_BASE}.h5", "2cb95161c43110f7111970584f804107"),
    WeightFile(f"{_BASE}_notop.h5", "4d473c1dd8becc155b73f8504c6f6626"),
)
_STACKS = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))


def ResNet50(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
) -> Model:
    """The residual network of 50 layers of He and others, 2015. See `VGG16` for the arguments."""
    check_weights(weights, include_top, classes)
    return assemble(
        "resnet50",
        _body,
        include_top=include_top,
        weights=weights,
        input_tensor=input_tensor,
        shape=input_shape_for(input_shape, 224, 32, weights, include_top),
        pooling=pooling,
        classes=classes,
        classifier_activation=classifier_activation,
        files=_FILES,
        pool_names=("avg_pool", "max_pool"),
    )


def _normalized(x: Any, name: str) -> Any:
    return layers.BatchNormalization(axis=channel_axis(), epsilon=1.001e-5, name=name)(x)


def _body(x: Any) -> Any:
    x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)), name="conv1_pad")(x)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    x = layers.Activation("relu", name="conv1_relu")(_normalized(x, "conv1_bn"))
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for number, (filters, count, stride) in enumerate(_STACKS, 2):
        for i in range(1, count + 1):
            x = _block(x, filters, stride if i == 1 else 1, i == 1, f"conv{number}_block{i}")
    return x


def _block(x: Any, filters: int, stride: int, is_first: bool, name: str) -> Any:
    shortcut = x
    if is_first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x)
        shortcut = _normalized(shortcut, f"{name}_0_bn")
    x = layers.Conv2D(filters, 1, strides=stride, name=f"{name}_1_conv")(x)
    x = layers.Activation("relu", name=f"{name}_1_relu")(_normalized(x, f"{name}_1_bn"))
    x = layers.Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x)
    x = layers.Activation("relu", name=f"{name}_2_relu")(_normalized(x, f"{name}_2_bn"))
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    x = layers.Add(name=f"{name}_add")([shortcut, _normalized(x, f"{name}_3_bn")])
    return layers.Activation("relu", name=f"{name}_out")(x)


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Images from 0 to 255 as BGR less ImageNet's mean."""
    return imagenet_utils.preprocess_input(x, data_format, mode="caffe")


decode_predictions = imagenet_utils.decode_predictions
