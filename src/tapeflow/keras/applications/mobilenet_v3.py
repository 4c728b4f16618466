"""`MobileNetV3Small`, `MobileNetV3Large`: inverted residual blocks with squeeze-and-excitation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike, PathLike
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import (
    NetworkOptions,
    assemble,
    channel_axis,
    published,
    weight_files,
)
from tapeflow.keras.applications.sizes import in_eights, padding_before_stride
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model


class _Block(NamedTuple):
    widening: float
    filters: int
    size: int
    stride: int
    is_weighed: bool
    is_hard: bool  # whether it ends with the hard swish, not at 0


_SMALL = (
    _Block(1, 16, 3, 2, True, False),
    _Block(72 / 16, 24, 3, 2, False, False),
    _Block(88 / 24, 24, 3, 1, False, False),
    _Block(4, 40, 5, 2, True, True),
    *[_Block(6, 40, 5, 1, True, True)] * 2,
    *[_Block(3, 48, 5, 1, True, True)] * 2,
    _Block(6, 96, 5, 2, True, True),
    *[_Block(6, 96, 5, 1, True, True)] * 2,
)
_LARGE = (
    _Block(1, 16, 3, 1, False, False),
    _Block(4, 24, 3, 2, False, False),
    _Block(3, 24, 3, 1, False, False),
    _Block(3, 40, 5, 2, True, False),
    *[_Block(3, 40, 5, 1, True, False)] * 2,
    _Block(6, 80, 3, 2, False, True),
    _Block(2.5, 80, 3, 1, False, True),
    *[_Block(2.3, 80, 3, 1, False, True)] * 2,
    *[_Block(6, 112, 3, 1, True, True)] * 2,
    _Block(6, 160, 5, 2, True, True),
    *[_Block(6, 160, 5, 1, True, True)] * 2,
)
# The files with and without the head, by size, kind and width.
_HASHES = {
    "large_224_0.75": ("765b44a33ad4005b3ac83185abf1d0eb", "40af19a13ebea4e2ee0c676887f69a2e"),
    "large_224_1.0": ("59e551e166be033d707958cf9e29a6a7", "07fb09a5933dd0c8eaafa16978110389"),
    "large_minimalistic_224_1.0": ("675e7b876c45c57e9e63e6d90a36599c", "ec5221f64a2f6d1ef965a614bdae7973"),
    "small_224_0.75": ("cb65d4e5be93758266aa0a7f2c6708b7", "ebdb5cc8e0b497cd13a7c275d475c819"),
    "small_224_1.0": ("8768d4c2e7dee89b9d02b2d03d65d862", "d3e8ec802a04aa4fc771ee12a9a9b836"),
    "small_minimalistic_224_1.0": ("99cd97fb2fcdad2bf028eb838de69e37", "cde8136e733e811080d9fcd8a252f7e4"),
}


def _network(kind: str, blocks: tuple[_Block, ...], last: int) -> Callable[..., Model]:
    """The function that makes the small or the large network; `last` is the width of its head."""

    def build(
        input_shape: Sequence[int | None] | None = None,
        alpha: float = 1.0,
        minimalistic: bool = False,
        include_top: bool = True,
        weights: PathLike = "imagenet",
        input_tensor: TensorLike | None = None,
        classes: int = 1000,
        pooling: str | None = None,
        dropout_rate: float = 0.2,
        classifier_activation: ActivationLike = "softmax",
        include_preprocessing: bool = True,
    ) -> Model:
        variant = f"{kind}{'_minimalistic' if minimalistic else ''}_224_{float(alpha)}"
        if weights == "imagenet" and variant not in _HASHES:
            raise ValueError(
                "If imagenet weights are being loaded, alpha can be one of `0.75`, `1.0` for non minimalistic or "
                f"`1.0` for minimalistic only. Received: alpha={alpha}, minimalistic={minimalistic}"
            )
        is_hard = not minimalistic

        def body(x: Any) -> KerasTensor:
            if include_preprocessing:
                x = layers.Rescaling(scale=1.0 / 127.5, offset=-1.0)(x)
            x = layers.Conv2D(16, 3, strides=(2, 2), padding="same", use_bias=False, name="Conv")(x)
            x = _active(x, "Conv", is_hard)
            for number, block in enumerate(blocks):
                block = block._replace(filters=in_eights(block.filters * alpha))
                if minimalistic:
                    block = block._replace(size=3, is_weighed=False, is_hard=False)
                x = _apply(x, block, number)
            width = in_eights(6 * x.shape[channel_axis()])
            x = layers.Conv2D(width, 1, padding="same", use_bias=False, name="Conv_1")(x)
            return _active(x, "Conv_1", is_hard)

        def head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
            width = in_eights(last * alpha) if alpha > 1 else last
            x = layers.GlobalAveragePooling2D(keepdims=True)(x)
            x = _cut(layers.Conv2D(width, 1, padding="same", name="Conv_2")(x), is_hard)
            if dropout_rate > 0:
                x = layers.Dropout(dropout_rate)(x)
            x = layers.Flatten()(layers.Conv2D(classes, 1, padding="same", name="Logits")(x))
            return layers.Activation(activation, name="Predictions")(x)

        return assemble(
            f"MobilenetV3{kind}",
            body,
            NetworkOptions(
                include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
            ),
            weight_files(
                f"mobilenet_v3/weights_mobilenet_v3_{variant}_float",
                _HASHES.get(variant, (None, None)),
                ending="_no_top_v2",
            ),
            needs_size=False,
            head=head,
            pool_names=("avg_pool", "max_pool"),
        )

    doc = f"""The {kind} network of Howard and others, 2019, which scales pixels itself. See `VGG16` for the rest.

    Args:
        alpha: how wide it is, as a share of the usual width.
        minimalistic: without weighed channels, hard swish and convolutions of 5 pixels.
        dropout_rate: the share of features that the top drops in training.
        include_preprocessing: take images from 0 to 255; without it, from -1 to 1.
    """
    return published(build, f"MobileNetV3{kind.title()}", doc, __name__)


def _hard_sigmoid(x: Any) -> Any:
    return layers.ReLU(6.0)(x + 3.0) * (1.0 / 6.0)


def _cut(x: KerasTensor, is_hard: bool) -> Any:
    return layers.Multiply()([x, _hard_sigmoid(x)]) if is_hard else layers.ReLU()(x)


def _normalized(x: KerasTensor, name: str) -> KerasTensor:
    bn = layers.BatchNormalization(
        axis=channel_axis(), epsilon=1e-3, momentum=0.999, name=f"{name}/BatchNorm"
    )
    return bn(x)


def _active(x: KerasTensor, name: str, is_hard: bool) -> KerasTensor:
    return _cut(_normalized(x, name), is_hard)


def _apply(inputs: Any, block: _Block, number: int) -> Any:
    _, filters, size, stride, is_weighed, is_hard = block
    width = inputs.shape[channel_axis()]
    wide = in_eights(width * block.widening)
    name = f"expanded_conv_{number}/" if number else "expanded_conv/"
    x = inputs
    if number:
        x = layers.Conv2D(wide, 1, padding="same", use_bias=False, name=f"{name}expand")(x)
        x = _active(x, f"{name}expand", is_hard)
    if stride == 2:
        x = layers.ZeroPadding2D(padding=padding_before_stride(x, size), name=f"{name}depthwise/pad")(x)
    padding = "same" if stride == 1 else "valid"
    x = layers.DepthwiseConv2D(
        size, strides=stride, padding=padding, use_bias=False, name=f"{name}depthwise"
    )(x)
    x = _active(x, f"{name}depthwise", is_hard)
    if is_weighed:
        x = _weighed(x, wide, f"{name}squeeze_excite/")
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{name}project")(x)
    x = _normalized(x, f"{name}project")
    return layers.Add(name=f"{name}Add")([inputs, x]) if stride == 1 and width == filters else x


def _weighed(x: KerasTensor, filters: int, name: str) -> Any:
    """Each channel times a weight that all channels' means decide."""
    weight = layers.GlobalAveragePooling2D(keepdims=True, name=f"{name}AvgPool")(x)
    weight = layers.Conv2D(in_eights(filters / 4), 1, padding="same", name=f"{name}Conv")(weight)
    weight = layers.ReLU(name=f"{name}Relu")(weight)
    weight = layers.Conv2D(filters, 1, padding="same", name=f"{name}Conv_1")(weight)
    return layers.Multiply(name=f"{name}Mul")([x, _hard_sigmoid(weight)])


MobileNetV3Small = _network("small", _SMALL, 1024)
MobileNetV3Large = _network("large", _LARGE, 1280)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> Any:
    """Images as they are: the network scales them itself."""
    return x


decode_predictions = imagenet_utils.decode_predictions
