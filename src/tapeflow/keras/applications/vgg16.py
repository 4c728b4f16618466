"""`VGG16`: thirteen small convolutions in five blocks, and three dense layers."""

from __future__ import annotations

from typing import Any

from tapeflow.keras import layers
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import WeightFile, assemble, check_weights, input_shape_for
from tapeflow.keras.models import Model

_BASE = "https://storage.googleapis.com/tensorflow/keras-applications/vgg16/vgg16_weights_tf_dim_ordering_tf_kernels"
_FILES = (
    WeightFile(f"{_BASE}.h5", "64373286793e3c8b2b4e3219cbf3544b"),
    WeightFile(f"{_BASE}_notop.h5", "6d6bbae143d832006294945121d1f1fc"),
)
_BLOCKS = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))


def VGG16(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
) -> Model:
    """The network of 16 layers of Simonyan and Zisserman, 2014.

    Args:
        include_top: with the dense layers, for images of one size.
        weights: None for random ones, a file, or "imagenet".
        input_tensor: a `tf.keras.Input` to build on.
        input_shape: (height, width, channels), at least 32 pixels a side.
        pooling: without the top: None, "avg" or "max".
        classes: how many classes the top has.
        classifier_activation: of the last layer; None for logits.
    """
    check_weights(weights, include_top, classes)
    return assemble(
        "vgg16",
        _body,
        include_top=include_top,
        weights=weights,
        input_tensor=input_tensor,
        shape=input_shape_for(input_shape, 224, 32, weights, include_top),
        pooling=pooling,
        classes=classes,
        classifier_activation=classifier_activation,
        files=_FILES,
        head=_head,
    )


def _body(x: Any) -> Any:
    for block, (count, filters) in enumerate(_BLOCKS, 1):
        for i in range(1, count + 1):
            conv = layers.Conv2D(
                filters, (3, 3), activation="relu", padding="same", name=f"block{block}_conv{i}"
            )
            x = conv(x)
        x = layers.MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
    return x


def _head(x: Any, classes: int, activation: Any) -> Any:
    x = layers.Flatten(name="flatten")(x)
    x = layers.Dense(4096, activation="relu", name="fc1")(x)
    x = layers.Dense(4096, activation="relu", name="fc2")(x)
    return layers.Dense(classes, activation=activation, name="predictions")(x)


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Images from 0 to 255 as BGR less ImageNet's mean."""
    return imagenet_utils.preprocess_input(x, data_format, mode="caffe")


decode_predictions = imagenet_utils.decode_predictions
