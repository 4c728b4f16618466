"""`ConvNeXt`, `Tiny` to `XLarge`: a convolutional network with design choices of transformers."""

from __future__ import annotations

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
from tapeflow.keras.applications.pixels import DEVIATIONS, MEANS
from tapeflow.keras.applications.scale_layers import LayerScale
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.models import Model, Sequential

_FIRST_SCALE = 1e-6  # of what a block adds


def _network(kind: str, counts: tuple[int, ...], width: int, hashes: tuple[str, str]) -> Callable[..., Model]:
    """The function that makes a network of four stages: so many blocks in each, twice as wide as before."""
    file = f"convnext_{kind.lower()}"

    def build(
        model_name: str = file,
        include_top: bool = True,
        include_preprocessing: bool = True,
        weights: PathLike = "imagenet",
        input_tensor: TensorLike | None = None,
        input_shape: Sequence[int | None] | None = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: ActivationLike = "softmax",
    ) -> Model:
        def body(x: KerasTensor) -> KerasTensor:
            if include_preprocessing and x.shape[channel_axis()] == 3:
                x = _standardised(x, f"{model_name}_prestem_normalization")
            for stage, count in enumerate(counts):
                x = _smaller(width << stage, stage, model_name)(x)
                for i in range(count):
                    x = _block(x, width << stage, f"{model_name}_stage_{stage}_block_{i}")
            return x

        def head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
            x = layers.GlobalAveragePooling2D(name=f"{model_name}_head_gap")(x)
            x = _normalization(f"{model_name}_head_layernorm")(x)
            return layers.Dense(classes, activation=activation, name=f"{model_name}_head_dense")(x)

        return assemble(
            model_name,
            body,
            NetworkOptions(
                include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
            ),
            weight_files(f"convnext/{file}", hashes),
            head=head,
            end=_normalization(None),
        )

    doc = f"""The {kind.lower()} network of Liu and others, 2022. See `VGG16` for the other arguments.

    Args:
        model_name: the name of the model and prefix of its layers.
        include_preprocessing: take images from 0 to 255; without it, standardised ones.
    """
    return published(build, f"ConvNeXt{kind}", doc, __name__)


def _normalization(name: str | None) -> layers.LayerNormalization:
    return layers.LayerNormalization(epsilon=1e-6, name=name)


def _standardised(x: KerasTensor, name: str) -> Any:
    means = [255 * m for m in MEANS]
    variances = [(255 * d) ** 2 for d in DEVIATIONS]
    return layers.Normalization(mean=means, variance=variances, name=name)(x)


def _smaller(filters: int, stage: int, name: str) -> Sequential:
    """What a stage starts with: a quarter of the image's size at first, half the size later."""
    if stage == 0:
        conv = layers.Conv2D(filters, 4, strides=4, name=f"{name}_stem_conv")
        return Sequential([conv, _normalization(f"{name}_stem_layernorm")], name=f"{name}_stem")
    conv = layers.Conv2D(filters, 2, strides=2, name=f"{name}_downsampling_conv_{stage - 1}")
    return Sequential(
        [_normalization(f"{name}_downsampling_layernorm_{stage - 1}"), conv],
        name=f"{name}_downsampling_block_{stage - 1}",
    )


def _block(inputs: KerasTensor, filters: int, name: str) -> KerasTensor:
    x = layers.Conv2D(filters, 7, padding="same", groups=filters, name=f"{name}_depthwise_conv")(inputs)
    x = _normalization(f"{name}_layernorm")(x)
    x = layers.Dense(4 * filters, name=f"{name}_pointwise_conv_1")(x)
    x = layers.Activation("gelu", name=f"{name}_gelu")(x)
    x = layers.Dense(filters, name=f"{name}_pointwise_conv_2")(x)
    x = LayerScale(_FIRST_SCALE, filters, name=f"{name}_layer_scale")(x)
    return inputs + layers.Activation("linear", name=f"{name}_identity")(x)


ConvNeXtTiny = _network(
    "Tiny",
    (3, 3, 9, 3),
    96,
    (
        "8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff",
        "d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1",
    ),
)
ConvNeXtSmall = _network(
    "Small",
    (3, 3, 27, 3),
    96,
    (
        "ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c",
        "6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab",
    ),
)
ConvNeXtBase = _network(
    "Base",
    (3, 3, 27, 3),
    128,
    (
        "52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6",
        "40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45",
    ),
)
ConvNeXtLarge = _network(
    "Large",
    (3, 3, 27, 3),
    192,
    (
        "070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6",
        "96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd",
    ),
)
ConvNeXtXLarge = _network(
    "XLarge",
    (3, 3, 27, 3),
    256,
    (
        "c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee",
        "de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05",
    ),
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> Any:
    """Images as they are: the network scales them itself."""
    return x


decode_predictions = imagenet_utils.decode_predictions
