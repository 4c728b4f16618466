"""`EfficientNetB0`: blocks that weigh their channels, in the proportions that a search found."""

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
from tapeflow.keras.applications.padding import padding_before_stride
from tapeflow.keras.models import Model

_BASE = "https://storage.googleapis.com/keras-applications/efficientnetb0"
_FILES = (
    WeightFile(f"{_BASE}.h5", "902e53a9f72be733fc0bcb005b3ebbac"),
    WeightFile(f"{_BASE}_notop.h5", "50bc09e76180e00e4465e1a485ddc09d"),
)
# Kernel size, repeats, filters in and out, widening and stride of each stage.
_STAGES = (
    *((3, 1, 32, 16, 1, 1), (3, 2, 16, 24, 6, 2), (5, 2, 24, 40, 6, 2), (3, 3, 40, 80, 6, 2)),
    *((5, 3, 80, 112, 6, 1), (5, 4, 112, 192, 6, 2), (3, 1, 192, 320, 6, 1)),
)
_CONV = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}
_DENSE = {
    "class_name": "VarianceScaling",
    "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"},
}
_DROP_RATE = 0.2
_DEVIATIONS = (0.229, 0.224, 0.225)


def EfficientNetB0(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
) -> Model:
    """The smallest network of Tan and Le, 2019, which scales pixels itself. See `VGG16` for the arguments."""
    check_weights(weights, include_top, classes)
    return assemble(
        "efficientnetb0",
        lambda x: _body(x, weights == "imagenet"),
        include_top=include_top,
        weights=weights,
        input_tensor=input_tensor,
        shape=input_shape_for(input_shape, 224, 32, weights, include_top),
        pooling=pooling,
        classes=classes,
        classifier_activation=classifier_activation,
        files=_FILES,
        head=_head,
        pool_names=("avg_pool", "max_pool"),
    )


def _head(x: Any, classes: int, activation: Any) -> Any:
    x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
    x = layers.Dropout(0.2, name="top_dropout")(x)
    return layers.Dense(classes, activation=activation, kernel_initializer=_DENSE, name="predictions")(x)


def _active(x: Any, bn: str, activation: str) -> Any:
    x = layers.BatchNormalization(axis=channel_axis(), name=bn)(x)
    return layers.Activation("swish", name=activation)(x)


def _conv(x: Any, filters: int, size: int, name: str, **options: Any) -> Any:
    options.setdefault("padding", "same")
    conv = layers.Conv2D(filters, size, use_bias=False, kernel_initializer=_CONV, name=name, **options)
    return conv(x)


def _body(x: Any, is_trained: bool) -> Any:
    x = layers.Rescaling(1.0 / 255.0)(x)
    x = layers.Normalization(axis=channel_axis())(x)
    if is_trained:  # the weights were made with the deviations where their squares should be
        scale = [1.0 / d**0.5 for d in _DEVIATIONS]
        x = layers.Rescaling(scale if channel_axis() == 3 else [[[s]] for s in scale])(x)
    x = layers.ZeroPadding2D(padding=padding_before_stride(x, 3), name="stem_conv_pad")(x)
    x = _conv(x, 32, 3, "stem_conv", strides=2, padding="valid")
    x = _active(x, "stem_bn", "stem_activation")
    count = sum(stage[1] for stage in _STAGES)
    number = 0
    for stage, (size, repeats, narrow, wide, widening, stride) in enumerate(_STAGES, 1):
        for i in range(repeats):
            name = f"block{stage}{chr(ord('a') + i)}_"
            rate = _DROP_RATE * number / count
            x = _block(
                x, narrow if i == 0 else wide, wide, size, stride if i == 0 else 1, widening, rate, name
            )
            number += 1
    return _active(_conv(x, 1280, 1, "top_conv"), "top_bn", "top_activation")


def _block(
    inputs: Any, narrow: int, wide: int, size: int, stride: int, widening: int, rate: float, name: str
) -> Any:
    filters = narrow * widening
    x = inputs
    if widening != 1:
        x = _active(
            _conv(x, filters, 1, f"{name}expand_conv"), f"{name}expand_bn", f"{name}expand_activation"
        )
    if stride == 2:
        x = layers.ZeroPadding2D(padding=padding_before_stride(x, size), name=f"{name}dwconv_pad")(x)
    x = layers.DepthwiseConv2D(
        size,
        strides=stride,
        padding="valid" if stride == 2 else "same",
        use_bias=False,
        depthwise_initializer=_CONV,
        name=f"{name}dwconv",
    )(x)
    x = _weighed(_active(x, f"{name}bn", f"{name}activation"), filters, max(1, narrow // 4), name)
    x = _conv(x, wide, 1, f"{name}project_conv")
    x = layers.BatchNormalization(axis=channel_axis(), name=f"{name}project_bn")(x)
    if stride == 1 and narrow == wide:
        if rate > 0:
            x = layers.Dropout(rate, noise_shape=(None, 1, 1, 1), name=f"{name}drop")(x)
        x = layers.Add(name=f"{name}add")([x, inputs])
    return x


def _weighed(x: Any, filters: int, few: int, name: str) -> Any:
    """Each channel times a weight that all channels' means decide."""
    shape = (1, 1, filters) if channel_axis() == 3 else (filters, 1, 1)
    weight = layers.GlobalAveragePooling2D(name=f"{name}se_squeeze")(x)
    weight = layers.Reshape(shape, name=f"{name}se_reshape")(weight)
    for count, activation, part in ((few, "swish", "reduce"), (filters, "sigmoid", "expand")):
        conv = layers.Conv2D(
            count,
            1,
            padding="same",
            activation=activation,
            kernel_initializer=_CONV,
            name=f"{name}se_{part}",
        )
        weight = conv(weight)
    return layers.Multiply(name=f"{name}se_excite")([x, weight])


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Images as they are: the network scales them itself."""
    return x


decode_predictions = imagenet_utils.decode_predictions
