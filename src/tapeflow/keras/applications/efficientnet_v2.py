"""`EfficientNetV2`, `B0` to `B3` and `S`, `M`, `L`: ordinary convolutions at first, depthwise ones later."""

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
from tapeflow.keras.applications.pixels import standardised
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model

Stage = tuple[int, int, int, int, int]  # repeats, filters in and out, widening, stride
# The first three stages of each have whole convolutions.
_WHOLE = 3
_B: tuple[Stage, ...] = (
    *((1, 32, 16, 1, 1), (2, 16, 32, 4, 2), (2, 32, 48, 4, 2)),
    *((3, 48, 96, 4, 2), (5, 96, 112, 6, 1), (8, 112, 192, 6, 2)),
)
_S: tuple[Stage, ...] = (
    *((2, 24, 24, 1, 1), (4, 24, 48, 4, 2), (4, 48, 64, 4, 2)),
    *((6, 64, 128, 4, 2), (9, 128, 160, 6, 1), (15, 160, 256, 6, 2)),
)
_M: tuple[Stage, ...] = (
    *((3, 24, 24, 1, 1), (5, 24, 48, 4, 2), (5, 48, 80, 4, 2), (7, 80, 160, 4, 2)),
    *((14, 160, 176, 6, 1), (18, 176, 304, 6, 2), (5, 304, 512, 6, 1)),
)
_L: tuple[Stage, ...] = (
    *((4, 32, 32, 1, 1), (7, 32, 64, 4, 2), (7, 64, 96, 4, 2), (10, 96, 192, 4, 2)),
    *((19, 192, 224, 6, 1), (25, 224, 384, 6, 2), (7, 384, 640, 6, 1)),
)
_DROP_RATE = 0.2


def _network(
    kind: str, stages: tuple[Stage, ...], width: float, depth: float, size: int, hashes: tuple[str, str]
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
        include_preprocessing: bool = True,
    ) -> Model:
        def body(x: KerasTensor) -> KerasTensor:
            if include_preprocessing:
                is_usual = stages is _B and x.shape[channel_axis()] == 3
                x = standardised(x) if is_usual else layers.Rescaling(scale=1.0 / 128.0, offset=-1)(x)
            x = _active(conv(x, _rounded(width * stages[0][1]), 3, "stem", strides=2), "stem_")
            for block, is_whole in _blocks(stages, width, depth):
                x = (_whole if is_whole else _separate)(x, block)
            return _active(conv(x, _rounded(width * 1280), 1, "top"), "top_")

        name = f"efficientnetv2-{kind.lower()}"
        return assemble(
            name,
            body,
            NetworkOptions(
                include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
            ),
            weight_files(f"efficientnet_v2/{name}", hashes),
            size=size,
            head=top(0.2),
            pool_names=("avg_pool", "max_pool"),
        )

    doc = f"""Network {kind} of Tan and Le, 2021, for images of {size} pixels. See `VGG16` for the other arguments.

    Args:
        include_preprocessing: take images from 0 to 255; without it, as they are.
    """
    return published(build, f"EfficientNetV2{kind}", doc, __name__)


def _rounded(count: float) -> int:
    return max(8, int(count + 4) // 8 * 8)


def _blocks(stages: tuple[Stage, ...], width: float, depth: float) -> list[tuple[Block, bool]]:
    """All blocks, and whether their convolution is whole; the later, the more often they are skipped."""
    total = sum(stage[0] for stage in stages)  # as Keras counts them: before there are more of them
    blocks: list[tuple[Block, bool]] = []
    for number, (repeats, narrow, wide, widening, stride) in enumerate(stages, 1):
        narrow, wide = _rounded(width * narrow), _rounded(width * wide)
        for i in range(math.ceil(depth * repeats)):
            rate = _DROP_RATE * len(blocks) / total
            name = f"block{number}{chr(ord('a') + i)}_"
            block = Block(wide if i else narrow, wide, 3, 1 if i else stride, widening, rate, name)
            blocks.append((block, number <= _WHOLE))
    return blocks


def _normalized(x: KerasTensor, name: str) -> KerasTensor:
    return layers.BatchNormalization(axis=channel_axis(), momentum=0.9, name=f"{name}bn")(x)


def _active(x: KerasTensor, name: str) -> KerasTensor:
    return layers.Activation("swish", name=f"{name}activation")(_normalized(x, name))


def _separate(inputs: KerasTensor, block: Block) -> KerasTensor:
    """Widen, convolve each channel, weigh the channels, narrow."""
    narrow, wide, size, stride, widening, _, name = block
    x = _active(conv(inputs, narrow * widening, 1, f"{name}expand"), f"{name}expand_")
    x = layers.DepthwiseConv2D(
        size,
        strides=stride,
        padding="same",
        use_bias=False,
        depthwise_initializer=KERNEL,
        name=f"{name}dwconv2",
    )(x)
    x = weighed(_active(x, name), narrow * widening, max(1, narrow // 4), name)
    return added(_normalized(conv(x, wide, 1, f"{name}project"), f"{name}project_"), inputs, block)


def _whole(inputs: KerasTensor, block: Block) -> KerasTensor:
    """Widen with a convolution of all channels, and narrow; or do both at once."""
    narrow, wide, size, stride, widening, _, name = block
    if widening == 1:
        x = _active(conv(inputs, wide, size, f"{name}project", strides=stride), f"{name}project_")
    else:
        x = conv(inputs, narrow * widening, size, f"{name}expand", strides=stride)
        x = conv(_active(x, f"{name}expand_"), wide, 1, f"{name}project")
        x = _normalized(x, f"{name}project_")
    return added(x, inputs, block)


EfficientNetV2B0 = _network(
    "B0", _B, 1.0, 1.0, 224, ("21ecbf6da12460d5c40bb2f29ceb2188", "893217f2bb855e2983157299931e43ff")
)
EfficientNetV2B1 = _network(
    "B1", _B, 1.0, 1.1, 240, ("069f0534ff22adf035c89e2d9547a9dc", "0e80663031ca32d657f9caa404b6ec37")
)
EfficientNetV2B2 = _network(
    "B2", _B, 1.1, 1.2, 260, ("424e49f28180edbde1e94797771950a7", "1dfe2e7a5d45b6632553a8961ea609eb")
)
EfficientNetV2B3 = _network(
    "B3", _B, 1.2, 1.4, 300, ("1f1fc43bd98a6e4fd8fdfd551e02c7a0", "f6abf7b5849ac99a89b50dd3fd532856")
)
EfficientNetV2S = _network(
    "S", _S, 1.0, 1.0, 384, ("e1d88a8495beba45748fedd0cecbe016", "af0682fb74e8c54910f2d4393339c070")
)
EfficientNetV2M = _network(
    "M", _M, 1.0, 1.0, 480, ("a3bf6aa3276309f4fc6a34aa114c95cd", "1b8dc055df72dde80d614482840fe342")
)
EfficientNetV2L = _network(
    "L", _L, 1.0, 1.0, 480, ("27e6d408b53c7ebc868fefa357689935", "b0b66b5c863aef5b46e8608fe1711615")
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> Any:
    """Images as they are: the network scales them itself."""
    return x


decode_predictions = imagenet_utils.decode_predictions
