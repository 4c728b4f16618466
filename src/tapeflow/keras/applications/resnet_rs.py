"""`ResNetRS50` to `ResNetRS420`: residual networks with squeeze-and-excitation and a revised training recipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import (
    NetworkOptions,
    assemble,
    channel_axis,
    check,
    fetched,
    published,
    weight_files,
)
from tapeflow.keras.applications.mobile_block import KERNEL, weighed
from tapeflow.keras.applications.pixels import standardised
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.layers.base.naming import get_uid
from tapeflow.keras.models import Model


def _network(
    depth: int, counts: tuple[int, ...], skip_rate: float, dropout: float, hashes: dict[int, tuple[str, str]]
) -> Callable[..., Model]:
    """The function that makes a network.

    Args:
        counts: of blocks in each of four stacks.
        skip_rate: how often, at most, a block is skipped in training.
        dropout: the share of features that the top drops in training.
        hashes: of the files, by the size of images they were made with.
    """
    name = f"resnet-rs-{depth}"
    variants = {f"imagenet-i{size}": size for size in hashes}

    def body(x: KerasTensor) -> KerasTensor:
        x = _stem(x)
        for stack, count in enumerate(counts):
            rate = skip_rate * (stack + 2) / (len(counts) + 1)
            for i in range(count):
                stride = 2 if stack and i == 0 else 1
                x = _block(x, 64 << stack, stride, i == 0, rate, f"BlockGroup{stack + 2}__block_{i}_")
        return x

    def head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = layers.Dropout(dropout, name="top_dropout")(x)
        return layers.Dense(classes, activation=activation, name="predictions")(x)

    def build(
        include_top: bool = True,
        weights: Any = "imagenet",
        classes: int = 1000,
        input_shape: Sequence[int | None] | None = None,
        input_tensor: TensorLike | None = None,
        pooling: str | None = None,
        classifier_activation: ActivationLike = "softmax",
        include_preprocessing: bool = True,
    ) -> Model:
        size = variants.get(weights, max(hashes))
        files = weight_files(f"resnet_rs/{name}-i{size}", hashes[size])
        options = NetworkOptions(
            include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
        )
        if weights == "imagenet" or weights in variants:  # images need not have that size
            check(name, options._replace(weights="imagenet"))
            options = options._replace(weights=fetched(files[0 if include_top else 1]))
        return assemble(
            name,
            lambda x: body(standardised(x) if include_preprocessing else x),
            options,
            files,
            head=head,
            pool_names=("avg_pool", "max_pool"),
        )

    doc = f"""The network of {depth} layers of Bello and others, 2021. See `VGG16` for the other arguments.

    Args:
        weights: None, a file, "imagenet", or {" or ".join(f'"{v}"' for v in variants)} for images of that size.
        include_preprocessing: take images from 0 to 255; without it, standardised ones.
    """
    return published(build, f"ResNetRS{depth}", doc, __name__)


def _conv(x: KerasTensor, filters: int, size: int, stride: int, name: str) -> KerasTensor:
    """A convolution whose padding does not depend on the image's size."""
    if stride > 1:
        x = layers.ZeroPadding2D(padding=(size - 1) // 2)(x)
    return layers.Conv2D(
        filters,
        size,
        strides=stride,
        padding="same" if stride == 1 else "valid",
        use_bias=False,
        kernel_initializer=KERNEL,
        name=name,
    )(x)


def _normalized(x: KerasTensor, name: str) -> KerasTensor:
    return layers.BatchNormalization(axis=channel_axis(), momentum=0.0, epsilon=1e-5, name=name)(x)


def _stem(x: KerasTensor) -> KerasTensor:
    name = f"stem_{get_uid('stem_')}_stem"  # the names of Keras, which counts stems
    for i, (filters, stride) in enumerate(((32, 2), (32, 1), (64, 1), (64, 2)), 1):
        x = _normalized(_conv(x, filters, 3, stride, f"{name}_conv_{i}"), f"{name}_batch_norm_{i}")
        x = layers.Activation("relu", name=f"{name}_act_{i}")(x)
    return x


def _block(
    inputs: KerasTensor, filters: int, stride: int, is_first: bool, rate: float, name: str
) -> KerasTensor:
    shortcut = inputs
    if is_first:
        if stride == 2:
            pool = layers.AveragePooling2D((2, 2), (2, 2), "same", name=f"{name}_projection_pooling")
            shortcut = pool(shortcut)
        shortcut = _conv(shortcut, 4 * filters, 1, 1, f"{name}_projection_conv")
        shortcut = _normalized(shortcut, f"{name}_projection_batch_norm")
    x = _normalized(_conv(inputs, filters, 1, 1, f"{name}_conv_1"), f"{name}batch_norm_1")
    x = layers.Activation("relu", name=f"{name}_act_1")(x)
    x = _normalized(_conv(x, filters, 3, stride, f"{name}_conv_2"), f"{name}_batch_norm_2")
    x = layers.Activation("relu", name=f"{name}_act_2")(x)
    x = _normalized(_conv(x, 4 * filters, 1, 1, f"{name}_conv_3"), f"{name}_batch_norm_3")
    x = weighed(x, 4 * filters, filters, f"{name}_se_", activation="relu")
    if rate > 0:
        x = layers.Dropout(rate, noise_shape=(None, 1, 1, 1), name=f"{name}_drop")(x)
    return layers.Activation("relu", name=f"{name}_output_act")(layers.Add()([x, shortcut]))


ResNetRS50 = _network(
    50,
    (3, 4, 6, 3),
    0.0,
    0.25,
    {
        160: ("69d9d925319f00a8bdd4af23c04e4102", "90daa68cd26c95aa6c5d25451e095529"),
    },
)
ResNetRS101 = _network(
    101,
    (3, 4, 23, 3),
    0.0,
    0.25,
    {
        160: ("544b3434d00efc199d66e9058c7f3379", "82d5b90c5ce9d710da639d6216d0f979"),
        192: ("eb285be29ab42cf4835ff20a5e3b5d23", "f9a0f6b85faa9c3db2b6e233c4eebb5b"),
    },
)
ResNetRS152 = _network(
    152,
    (3, 8, 36, 3),
    0.0,
    0.25,
    {
        192: ("8d72a301ed8a6f11a47c4ced4396e338", "5fbf7ac2155cb4d5a6180ee9e3aa8704"),
        224: ("31a46a92ab21b84193d0d71dd8c3d03b", "dc8b2cba2005552eafa3167f00dc2133"),
        256: ("ba6271b99bdeb4e7a9b15c05964ef4ad", "fa79794252dbe47c89130f65349d654a"),
    },
)
ResNetRS200 = _network(
    200,
    (3, 24, 36, 3),
    0.1,
    0.25,
    {
        256: ("a76930b741884e09ce90fa7450747d5f", "bbdb3994718dfc0d1cd45d7eff3f3d9c"),
    },
)
ResNetRS270 = _network(
    270,
    (4, 29, 53, 4),
    0.1,
    0.25,
    {
        256: ("20d575825ba26176b03cb51012a367a8", "2c42ecb22e35f3e23d2f70babce0a2aa"),
    },
)
ResNetRS350 = _network(
    350,
    (4, 36, 72, 4),
    0.1,
    0.4,
    {
        256: ("f4a039dc3c421321b7fc240494574a68", "6e44b55025bbdff8f51692a023143d66"),
        320: ("7ccb858cc738305e8ceb3c0140bee393", "ab0c1f9079d2f85a9facbd2c88aa6079"),
    },
)
ResNetRS420 = _network(
    420,
    (4, 44, 87, 4),
    0.1,
    0.4,
    {
        320: ("ae0eb9bed39e64fc8d7e0db4018dc7e8", "fe6217c32be8305b1889657172b98884"),
    },
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> Any:
    """Images as they are: the network scales them itself."""
    return x


decode_predictions = imagenet_utils.decode_predictions
