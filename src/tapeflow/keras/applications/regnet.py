"""`RegNetX002` to `X320`, `RegNetY002` to `Y320`: grouped convolutions, with widths and depths given by a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike, PathLike
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import NetworkOptions, assemble, published, weight_files
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.layers.base.naming import get_uid
from tapeflow.keras.models import Model


def _network(
    kind: str, counts: tuple[int, ...], widths: tuple[int, ...], group: int, hashes: tuple[str, str]
) -> Callable[..., Model]:
    """The function that makes a network of four stages: blocks and filters of each, and channels of a group."""
    letter = kind[0].upper()

    def build(
        model_name: str = f"regnet{kind}",
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
            if include_preprocessing:
                x = layers.Rescaling(scale=1.0 / 255.0, name=f"{model_name}_prestem_rescaling")(x)
            x = _conv(x, 32, f"{model_name}_stem_conv", size=3, strides=2, padding="same")
            x = _active(x, f"{model_name}_stem")
            for stage, (count, filters) in enumerate(zip(counts, widths, strict=True)):
                for i in range(count):
                    name = f"{model_name}_Stage_{stage}_{letter}Block_{i}"
                    x = _block(x, filters, group, i == 0, letter == "Y", name)
            return x

        return assemble(
            model_name,
            body,
            NetworkOptions(
                include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
            ),
            weight_files(f"regnet/regnet{kind}", hashes),
            head=_head,
        )

    doc = f"""Network {kind.upper()} of Radosavovic and others, 2020. See `VGG16` for the other arguments.

    Args:
        model_name: the name of the model and prefix of its layers.
        include_preprocessing: take images from 0 to 255; without it, from 0 to 1.
        classifier_activation: read as in Keras, where the top gives logits whatever it says.
    """
    return published(build, f"RegNet{kind.upper()}", doc, __name__)


def _head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
    number = get_uid("head")  # the names of Keras, which counts heads
    x = layers.GlobalAveragePooling2D(name=f"{number}_head_gap")(x)
    return layers.Dense(classes, name=f"{number}head_dense")(x)


def _conv(x: KerasTensor, filters: int, name: str, size: int = 1, **options: Any) -> Any:
    conv = layers.Conv2D(filters, size, use_bias=False, kernel_initializer="he_normal", name=name, **options)
    return conv(x)


def _normalized(x: KerasTensor, name: str) -> Any:
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5, name=f"{name}_bn")(x)


def _active(x: KerasTensor, name: str) -> Any:
    return layers.ReLU(name=f"{name}_relu")(_normalized(x, name))


def _block(inputs: Any, filters: int, group: int, is_first: bool, is_weighed: bool, name: str) -> Any:
    stride = 2 if is_first else 1
    shortcut = inputs
    if is_first:
        shortcut = _conv(inputs, filters, f"{name}_skip_1x1", strides=stride)
        shortcut = _normalized(shortcut, f"{name}_skip")
    x = _active(_conv(inputs, filters, f"{name}_conv_1x1_1"), f"{name}_conv_1x1_1")
    x = _conv(x, filters, f"{name}_conv_3x3", size=3, strides=stride, groups=filters // group, padding="same")
    x = _active(x, f"{name}_conv_3x3")
    if is_weighed:
        x = _weighed(x, filters, inputs.shape[-1] // 4, name)
    x = _normalized(_conv(x, filters, f"{name}_conv_1x1_2"), f"{name}_conv_1x1_2")
    return layers.ReLU(name=f"{name}_exit_relu")(x + shortcut)


def _weighed(x: KerasTensor, filters: int, few: int, name: str) -> Any:
    """Each channel times a weight that all channels' means decide."""
    name = f"{name}_squeeze_and_excite"
    weight = layers.GlobalAveragePooling2D(keepdims=True, name=f"{name}_gap")(x)
    for count, activation, part in ((few, "relu", "squeeze"), (filters, "sigmoid", "excite")):
        conv = layers.Conv2D(
            count, 1, activation=activation, kernel_initializer="he_normal", name=f"{name}_{part}"
        )
        weight = conv(weight)
    return tf.math.multiply(weight, x)


RegNetX002 = _network(
    "x002",
    (1, 1, 4, 7),
    (24, 56, 152, 368),
    8,
    (
        "49fb46e56cde07fdaf57bffd851461a86548f6a3a4baef234dd37290b826c0b8",
        "5445b66cd50445eb7ecab094c1e78d4d3d29375439d1a7798861c4af15ffff21",
    ),
)
RegNetX004 = _network(
    "x004",
    (1, 2, 7, 12),
    (32, 64, 160, 384),
    16,
    (
        "3523c7f5ac0dbbcc2fd6d83b3570e7540f7449d3301cc22c29547302114e4088",
        "de139bf07a66c9256f2277bf5c1b6dd2d5a3a891a5f8a925a10c8a0a113fd6f3",
    ),
)
RegNetX006 = _network(
    "x006",
    (1, 3, 5, 7),
    (48, 96, 240, 528),
    24,
    (
        "340216ef334a7bae30daac9f414e693c136fac9ab868704bbfcc9ce6a5ec74bb",
        "a43ec97ad62f86b2a96a783bfdc63a5a54de02eef54f26379ea05e1bf90a9505",
    ),
)
RegNetX008 = _network(
    "x008",
    (1, 3, 7, 5),
    (64, 128, 288, 672),
    16,
    (
        "8f145d6a5fae6da62677bb8d26eb92d0b9dfe143ec1ebf68b24a57ae50a2763d",
        "3c7e4b0917359304dc18e644475c5c1f5e88d795542b676439c4a3acd63b7207",
    ),
)
RegNetX016 = _network(
    "x016",
    (2, 4, 10, 2),
    (72, 168, 408, 912),
    24,
    (
        "31c386f4c7bfef4c021a583099aa79c1b3928057ba1b7d182f174674c5ef3510",
        "1b8e3d545d190271204a7b2165936a227d26b79bb7922bac5ee4d303091bf17a",
    ),
)
RegNetX032 = _network(
    "x032",
    (2, 6, 15, 2),
    (96, 192, 432, 1008),
    48,
    (
        "6c025df1409e5ea846375bc9dfa240956cca87ef57384d93fef7d6fa90ca8c7f",
        "9cd4522806c0fcca01b37874188b2bd394d7c419956d77472a4e072b01d99041",
    ),
)
RegNetX040 = _network(
    "x040",
    (2, 5, 14, 2),
    (80, 240, 560, 1360),
    40,
    (
        "ba128046c588a26dbd3b3a011b26cb7fa3cf8f269c184c132372cb20b6eb54c1",
        "b4ed0ca0b9a98e789e05000e830403a7ade4d8afa01c73491c44610195198afe",
    ),
)
RegNetX064 = _network(
    "x064",
    (2, 4, 10, 1),
    (168, 392, 784, 1624),
    56,
    (
        "0f4489c3cd3ad979bd6b0324213998bcb36dc861d178f977997ebfe53c3ba564",
        "3e706fa416a18dfda14c713423eba8041ae2509db3e0a611d5f599b5268a46c4",
    ),
)
RegNetX080 = _network(
    "x080",
    (2, 5, 15, 1),
    (80, 240, 720, 1920),
    120,
    (
        "76320e43272719df648db37271a247c22eb6e810fe469c37a5db7e2cb696d162",
        "7b1ce8e29ceefec10a6569640ee329dba7fbc98b5d0f6346aabade058b66cf29",
    ),
)
RegNetX120 = _network(
    "x120",
    (2, 5, 11, 1),
    (224, 448, 896, 2240),
    112,
    (
        "5cafc461b78897d5e4f24e68cb406d18e75f31105ef620e7682b611bb355eb3a",
        "36174ddd0299db04a42631d028abcb1cc7afec2b705e42bd28fcd325e5d596bf",
    ),
)
RegNetX160 = _network(
    "x160",
    (2, 6, 13, 1),
    (256, 512, 896, 2048),
    128,
    (
        "8093f57a5824b181fb734ea21ae34b1f7ee42c5298e63cf6d587c290973195d2",
        "9d1485050bdf19531ffa1ed7827c75850e0f2972118a996b91aa9264b088fd43",
    ),
)
RegNetX320 = _network(
    "x320",
    (2, 7, 13, 1),
    (336, 672, 1344, 2520),
    168,
    (
        "91fb3e6f4e9e44b3687e80977f7f4412ee9937c0c704232664fc83e4322ea01e",
        "9db7eacc37b85c98184070e1a172e6104c00846f44bcd4e727da9e50d9692398",
    ),
)
RegNetY002 = _network(
    "y002",
    (1, 1, 4, 7),
    (24, 56, 152, 368),
    8,
    (
        "1e8091c674532b1a61c04f6393a9c570113e0197f22bd1b98cc4c4fe800c6465",
        "f63221f63d625b8e201221499682587bfe29d33f50a4c4f4d53be00f66c0f12c",
    ),
)
RegNetY004 = _network(
    "y004",
    (1, 3, 6, 6),
    (48, 104, 208, 440),
    8,
    (
        "752fdbad21c78911bf1dcb8c513e5a0e14697b068e5d9e73525dbaa416d18d8e",
        "45e6ba8309a17a77e67afc05228454b2e0ee6be0dae65edc0f31f1da10cc066b",
    ),
)
RegNetY006 = _network(
    "y006",
    (1, 3, 7, 4),
    (48, 112, 256, 608),
    16,
    (
        "98942e07b273da500ff9699a1f88aca78dfad4375faabb0bab784bb0dace80a9",
        "b70261cba4e60013c99d130cc098d2fce629ff978a445663b6fa4f8fc099a2be",
    ),
)
RegNetY008 = _network(
    "y008",
    (1, 3, 8, 2),
    (64, 128, 320, 768),
    16,
    (
        "1b099377cc9a4fb183159a6f9b24bc998e5659d25a449f40c90cbffcbcfdcae4",
        "b11f5432a216ee640fe9be6e32939defa8d08b8d136349bf3690715a98752ca1",
    ),
)
RegNetY016 = _network(
    "y016",
    (2, 6, 17, 2),
    (48, 120, 336, 888),
    24,
    (
        "b7ce1f5e223f0941c960602de922bcf846288ce7a4c33b2a4f2e4ac4b480045b",
        "d7404f50205e82d793e219afb9eb2bfeb781b6b2d316a6128c6d7d7dacab7f57",
    ),
)
RegNetY032 = _network(
    "y032",
    (2, 5, 13, 1),
    (72, 216, 576, 1512),
    24,
    (
        "6a6a545cf3549973554c9b94f0cd40e25f229fffb1e7f7ac779a59dcbee612bd",
        "eb3ac1c45ec60f4f031c3f5180573422b1cf7bebc26c004637517372f68f8937",
    ),
)
RegNetY040 = _network(
    "y040",
    (2, 6, 12, 2),
    (128, 192, 512, 1088),
    64,
    (
        "98d00118b335162bbffe8f1329e54e5c8e75ee09b2a5414f97b0ddfc56e796f6",
        "b5be2a5e5f072ecdd9c0b8a437cd896df0efa1f6a1f77e41caa8719b7dfcb05d",
    ),
)
RegNetY064 = _network(
    "y064",
    (2, 7, 14, 2),
    (144, 288, 576, 1296),
    72,
    (
        "65c948c7a18aaecaad2d1bd4fd978987425604ba6669ef55a1faa0069a2804b7",
        "885c4b7ed7ea339daca7dafa1a62cb7d41b1068897ef90a5a3d71b4a2e2db31a",
    ),
)
RegNetY080 = _network(
    "y080",
    (2, 4, 10, 1),
    (168, 448, 896, 2016),
    56,
    (
        "7a2c62da2982e369a4984d3c7c3b32d6f8d3748a71cb37a31156c436c37f3e95",
        "3d119577e1e3bf8d153b895e8ea9e4ec150ff2d92abdca711b6e949c3fd7115d",
    ),
)
RegNetY120 = _network(
    "y120",
    (2, 5, 11, 1),
    (224, 448, 896, 2240),
    112,
    (
        "a96ab0d27d3ae35a422ee7df0d789069b3e3217a99334e0ce861a96595bc5986",
        "4a6fa387108380b730b71feea2ad80b5224b5ea9dc21dc156c93fe3c6186485c",
    ),
)
RegNetY160 = _network(
    "y160",
    (2, 4, 11, 1),
    (224, 448, 1232, 3024),
    112,
    (
        "45067240ffbc7ca2591313fee2f80dbdda6d66ec1a7451446f9a6d00d8f7ac6e",
        "ead1e6b568be8f34447ec8941299a9df4368736ba9a8205de5427fa20a1fb316",
    ),
)
RegNetY320 = _network(
    "y320",
    (2, 5, 12, 1),
    (232, 696, 1392, 3712),
    232,
    (
        "b05e173e4ae635cfa22d06392ee3741284d17dadfee68f2aa6fd8cb2b7561112",
        "cad78f74a586e24c61d38be17f3ae53bb9674380174d2585da1a526b8c20e1fd",
    ),
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> Any:
    """Images as they are: the network scales them itself."""
    return x


decode_predictions = imagenet_utils.decode_predictions
