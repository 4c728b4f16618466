"""`NASNetMobile`, `NASNetLarge`: cells found by neural architecture search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import ADDRESS, NetworkOptions, WeightFile, assemble, published
from tapeflow.keras.applications.sizes import padding_before_stride
from tapeflow.keras.config import image_data_format
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model


def _network(
    kind: str, last: int, count: int, stem: int, skips: bool, size: int, hashes: tuple[str, str]
) -> Callable[..., Model]:
    """The function that makes a network.

    Args:
        last: how many features it ends with.
        count: how many cells there are at each size.
        stem: the width of the first convolution.
        skips: whether the cell after one that halves the size looks back past it, to what that one looked back to.
    """

    def body(x: KerasTensor) -> KerasTensor:
        filters = last // 24
        x = layers.Conv2D(
            stem, (3, 3), strides=(2, 2), use_bias=False, name="stem_conv1", kernel_initializer="he_normal"
        )(x)
        x = _normalized(x, "stem_bn1")
        before, x = x, _halving_cell(x, None, filters // 4, "stem_1")
        before, x = x, _halving_cell(x, before, filters // 2, "stem_2")
        for stage in range(3):
            if stage:
                halved = _halving_cell(x, before, filters << stage, f"reduce_{stage * count}")
                before, x = before if skips else x, halved
            for i in range(count):
                number = stage * count + (1 if stage else 0) + i
                before, x = x, _keeping_cell(x, before, filters << stage, str(number))
        return layers.Activation("relu")(x)

    def build(
        input_shape: Sequence[int | None] | None = None,
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: ActivationLike = "softmax",
    ) -> Model:
        if image_data_format() != "channels_last":
            raise ValueError(
                f"NASNet{kind} expected images with channels last; got image_data_format={image_data_format()!r}. "
                "Call tf.keras.backend.set_image_data_format('channels_last')."
            )
        if input_shape is None:
            input_shape = (size, size, 3) if input_tensor is None else tuple(input_tensor.shape)[1:]
        if None in input_shape:
            raise ValueError(
                f"NASNet{kind} expected images of one size, on which its padding depends; got input_shape="
                f"{input_shape}. Give their size, such as ({size}, {size}, 3)."
            )
        name, file = kind.lower(), f"{ADDRESS}nasnet/NASNet-{kind.lower()}"
        return assemble(
            "NASNet",
            body,
            NetworkOptions(
                include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
            ),
            (
                WeightFile(f"{file}.h5", hashes[0], f"nasnet_{name}.h5"),
                WeightFile(f"{file}-no-top.h5", hashes[1], f"nasnet_{name}_no_top.h5"),
            ),
            size=size,
            head=_head,
        )

    doc = f"The network of Zoph and others, 2017, for images of {size} pixels. See `VGG16` for the arguments."
    return published(build, f"NASNet{kind}", doc, __name__)


def _head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
    x = layers.GlobalAveragePooling2D()(x)
    return layers.Dense(classes, activation=activation, name="predictions")(x)


def _normalized(x: KerasTensor, name: str) -> KerasTensor:
    return layers.BatchNormalization(axis=-1, momentum=0.9997, epsilon=1e-3, name=name)(x)


def _conv(x: KerasTensor, filters: int, name: str) -> KerasTensor:
    """A convolution of one pixel."""
    conv = layers.Conv2D(
        filters, (1, 1), padding="same", use_bias=False, kernel_initializer="he_normal", name=name
    )
    return conv(x)


def _separable(x: KerasTensor, filters: int, size: int, name: str, stride: int = 1) -> KerasTensor:
    """Two convolutions, each of space and channels one after the other."""
    x = layers.Activation("relu")(x)
    padding = "same"
    if stride == 2:
        x = layers.ZeroPadding2D(padding=padding_before_stride(x, size), name=f"separable_conv_1_pad_{name}")(
            x
        )
        padding = "valid"
    x = layers.SeparableConv2D(
        filters, size, strides=stride, padding=padding, use_bias=False, name=f"separable_conv_1_{name}"
    )(x)
    x = layers.Activation("relu")(_normalized(x, f"separable_conv_1_bn_{name}"))
    x = layers.SeparableConv2D(
        filters, size, padding="same", use_bias=False, name=f"separable_conv_2_{name}"
    )(x)
    return _normalized(x, f"separable_conv_2_bn_{name}")


def _fitted(before: Any, x: KerasTensor, filters: int, name: str) -> Any:
    """What came before the last cell, in the size of what came after it and with so many channels."""
    if before is None:
        return x
    if before.shape[2] != x.shape[2]:
        before = layers.Activation("relu", name=f"adjust_relu_1_{name}")(before)
        shifted = layers.ZeroPadding2D(padding=((0, 1), (0, 1)))(before)
        halves = [before, layers.Cropping2D(cropping=((1, 0), (1, 0)))(shifted)]
        for i in range(2):
            pool = layers.AveragePooling2D((1, 1), strides=(2, 2), name=f"adjust_avg_pool_{i + 1}_{name}")
            halves[i] = _conv(pool(halves[i]), filters // 2, f"adjust_conv_{i + 1}_{name}")
        return _normalized(layers.Concatenate(axis=-1)(halves), f"adjust_bn_{name}")
    if before.shape[3] != filters:
        before = layers.Activation("relu")(before)
        return _normalized(_conv(before, filters, f"adjust_conv_projection_{name}"), f"adjust_bn_{name}")
    return before


def _entry(x: KerasTensor, before: Any, filters: int, kind: str, name: str) -> tuple[Any, Any]:
    """What a cell starts from: what the two cells before it made, with so many channels each."""
    before = _fitted(before, x, filters, name)
    x = _conv(layers.Activation("relu")(x), filters, f"{kind}_conv_1_{name}")
    return _normalized(x, f"{kind}_bn_1_{name}"), before


def _mean(x: KerasTensor, name: str) -> Any:
    return layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same", name=name)(x)


def _keeping_cell(x: KerasTensor, before: Any, filters: int, name: str) -> KerasTensor:
    x, before = _entry(x, before, filters, "normal", name)

    def add(number: int, left: object, right: object) -> KerasTensor:
        return layers.Add(name=f"normal_add_{number}_{name}")([left, right])

    parts = [before]
    left = _separable(x, filters, 5, f"normal_left1_{name}")
    parts.append(add(1, left, _separable(before, filters, 3, f"normal_right1_{name}")))
    left = _separable(before, filters, 5, f"normal_left2_{name}")
    parts.append(add(2, left, _separable(before, filters, 3, f"normal_right2_{name}")))
    parts.append(add(3, _mean(x, f"normal_left3_{name}"), before))
    left = _mean(before, f"normal_left4_{name}")
    parts.append(add(4, left, _mean(before, f"normal_right4_{name}")))
    parts.append(add(5, _separable(x, filters, 3, f"normal_left5_{name}"), x))
    return layers.Concatenate(axis=-1, name=f"normal_concat_{name}")(parts)


def _halving_cell(x: KerasTensor, before: Any, filters: int, name: str) -> KerasTensor:
    x, before = _entry(x, before, filters, "reduction", name)
    padded = layers.ZeroPadding2D(padding=padding_before_stride(x, 3), name=f"reduction_pad_1_{name}")(x)

    def halved(x: KerasTensor, size: int, part: str) -> KerasTensor:
        return _separable(x, filters, size, f"reduction_{part}_{name}", stride=2)

    def pooled(pool: Any, part: str) -> KerasTensor:
        return pool((3, 3), strides=(2, 2), name=f"reduction_{part}_{name}")(padded)

    one = layers.Add(name=f"reduction_add_1_{name}")([halved(x, 5, "left1"), halved(before, 7, "right1")])
    two = layers.Add(name=f"reduction_add_2_{name}")(
        [pooled(layers.MaxPooling2D, "left2"), halved(before, 7, "right2")]
    )
    three = layers.Add(name=f"reduction_add3_{name}")(
        [pooled(layers.AveragePooling2D, "left3"), halved(before, 5, "right3")]
    )
    four = layers.Add()([two, _mean(one, f"reduction_left4_{name}")])
    five = layers.Add(name=f"reduction_add4_{name}")(
        [_separable(one, filters, 3, f"reduction_left4_{name}"), pooled(layers.MaxPooling2D, "right5")]
    )
    return layers.Concatenate(axis=-1, name=f"reduction_concat_{name}")([two, three, four, five])


NASNetMobile = _network(
    "Mobile",
    1056,
    4,
    32,
    False,
    224,
    ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63"),
)
NASNetLarge = _network(
    "Large",
    4032,
    6,
    96,
    True,
    331,
    ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5"),
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
