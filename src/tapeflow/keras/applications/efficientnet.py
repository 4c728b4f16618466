"""`EfficientNetB0` to `B7`: one network found by search, and seven wider, deeper ones for larger images."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

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
from tapeflow.keras.applications.mobile_block import KERNEL, Block, added, conv, top, weighed
from tapeflow.keras.applications.pixels import DEVIATIONS
from tapeflow.keras.applications.sizes import in_eights, padding_before_stride
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model

_ADDRESS = "https://storage.googleapis.com/keras-applications/"
# Kernel size, repeats, filters in and out, widening and stride of each stage.
_STAGES = (
    *((3, 1, 32, 16, 1, 1), (3, 2, 16, 24, 6, 2), (5, 2, 24, 40, 6, 2), (3, 3, 40, 80, 6, 2)),
    *((5, 3, 80, 112, 6, 1), (5, 4, 112, 192, 6, 2), (3, 1, 192, 320, 6, 1)),
)


def _network(
    number: int, width: float, depth: float, size: int, dropout: float, hashes: tuple[str, str]
) -> Callable[..., Model]:
    """The function that makes a network of so many times the width and depth, for images of a size."""

    def build(
        include_top: bool = True,
        weights: PathLike = "imagenet",
        input_tensor: TensorLike | None = None,
        input_shape: Sequence[int | None] | None = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: ActivationLike = "softmax",
        *,
        dropout_rate: float = dropout,
        drop_connect_rate: float = 0.2,
    ) -> Model:
        def body(x: KerasTensor) -> KerasTensor:
            x = _scaled(x, weights == "imagenet")
            x = layers.ZeroPadding2D(padding=padding_before_stride(x, 3), name="stem_conv_pad")(x)
            x = conv(x, in_eights(width * 32), 3, "stem", strides=2, padding="valid")
            x = _active(x, "stem_")
            for block in _blocks(width, depth, drop_connect_rate):
                x = _apply(x, block)
            return _active(conv(x, in_eights(width * 1280), 1, "top"), "top_")

        return assemble(
            f"efficientnetb{number}",
            body,
            NetworkOptions(
                include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
            ),
            weight_files(f"{_ADDRESS}efficientnetb{number}", hashes),
            size=size,
            head=top(dropout_rate),
            pool_names=("avg_pool", "max_pool"),
        )

    doc = f"""Network B{number} of Tan and Le, 2019, for images of {size} pixels, which it scales itself.

    See `VGG16` for the other arguments.

    Args:
        dropout_rate: the share of features that the top drops in training.
        drop_connect_rate: how often, at most, a block is skipped in training.
    """
    return published(build, f"EfficientNetB{number}", doc, __name__)


def _blocks(width: float, depth: float, drop_rate: float) -> list[Block]:
    """All blocks; the later, the more often they are skipped."""
    counts = [math.ceil(depth * stage[1]) for stage in _STAGES]
    blocks = []
    for number, (count, stage) in enumerate(zip(counts, _STAGES, strict=True), 1):
        size, _, narrow, wide, widening, stride = stage
        narrow, wide = in_eights(width * narrow), in_eights(width * wide)
        for i in range(count):
            rate = drop_rate * len(blocks) / sum(counts)
            name = f"block{number}{chr(ord('a') + i)}_"
            blocks.append(Block(wide if i else narrow, wide, size, 1 if i else stride, widening, rate, name))
    return blocks


def _scaled(x: KerasTensor, is_trained: bool) -> KerasTensor:
    x = layers.Rescaling(1.0 / 255.0)(x)
    x = layers.Normalization(axis=channel_axis())(x)
    if is_trained:  # the weights were made with the deviations where their squares should be
        scale = [1.0 / d**0.5 for d in DEVIATIONS]
        x = layers.Rescaling(scale if channel_axis() == 3 else [[[s]] for s in scale])(x)
    return x


def _active(x: KerasTensor, name: str) -> KerasTensor:
    x = layers.BatchNormalization(axis=channel_axis(), name=f"{name}bn")(x)
    return layers.Activation("swish", name=f"{name}activation")(x)


def _apply(inputs: KerasTensor, block: Block) -> Any:
    narrow, wide, size, stride, widening, _, name = block
    x = inputs
    if widening != 1:
        x = _active(conv(x, narrow * widening, 1, f"{name}expand"), f"{name}expand_")
    if stride == 2:
        x = layers.ZeroPadding2D(padding=padding_before_stride(x, size), name=f"{name}dwconv_pad")(x)
    x = layers.DepthwiseConv2D(
        size,
        strides=stride,
        padding="valid" if stride == 2 else "same",
        use_bias=False,
        depthwise_initializer=KERNEL,
        name=f"{name}dwconv",
    )(x)
    x = weighed(_active(x, name), narrow * widening, max(1, narrow // 4), name)
    x = conv(x, wide, 1, f"{name}project")
    x = layers.BatchNormalization(axis=channel_axis(), name=f"{name}project_bn")(x)
    return added(x, inputs, block)


EfficientNetB0 = _network(
    0, 1.0, 1.0, 224, 0.2, ("902e53a9f72be733fc0bcb005b3ebbac", "50bc09e76180e00e4465e1a485ddc09d")
)
EfficientNetB1 = _network(
    1, 1.0, 1.1, 240, 0.2, ("1d254153d4ab51201f1646940f018540", "74c4e6b3e1f6a1eea24c589628592432")
)
EfficientNetB2 = _network(
    2, 1.1, 1.2, 260, 0.3, ("b15cce36ff4dcbd00b6dd88e7857a6ad", "111f8e2ac8aa800a7a99e3239f7bfb39")
)
EfficientNetB3 = _network(
    3, 1.2, 1.4, 300, 0.3, ("ffd1fdc53d0ce67064dc6a9c7960ede0", "af6d107764bb5b1abb91932881670226")
)
EfficientNetB4 = _network(
    4, 1.4, 1.8, 380, 0.4, ("18c95ad55216b8f92d7e70b3a046e2fc", "ebc24e6d6c33eaebbd558eafbeedf1ba")
)
EfficientNetB5 = _network(
    5, 1.6, 2.2, 456, 0.4, ("ace28f2a6363774853a83a0b21b9421a", "38879255a25d3c92d5e44e04ae6cec6f")
)
EfficientNetB6 = _network(
    6, 1.8, 2.6, 528, 0.5, ("165f6e37dce68623721b423839de8be5", "9ecce42647a20130c1f39a5d4cb75743")
)
EfficientNetB7 = _network(
    7, 2.0, 3.1, 600, 0.5, ("8c03f828fec3ef71311cd463b6759d99", "cbcfe4450ddf6f3ad90b1b398090fe4a")
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> Any:
    """Images as they are: the network scales them itself."""
    return x


decode_predictions = imagenet_utils.decode_predictions
