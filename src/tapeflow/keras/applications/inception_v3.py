"""`InceptionV3`: blocks with parallel branches of a few convolutions each."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.assembly import network, weight_files
from tapeflow.keras.applications.inception_block import conv, joined, largest, pooled, stem, way, wide
from tapeflow.keras.graph.keras_tensor import KerasTensor


def _body(x: KerasTensor) -> KerasTensor:
    x = stem(x)
    for i, filters in enumerate((32, 64, 64)):
        x = wide(x, 64, filters, f"mixed{i}")
    x = _smaller(x)
    for i, filters in enumerate((128, 160, 160, 192), 4):
        x = _long(x, filters, f"mixed{i}")
    x = _smallest(x)
    for i in range(2):
        x = _spread(x, i)
    return x


def _smaller(x: KerasTensor) -> KerasTensor:
    three = conv(x, 384, 3, 3, 2, "valid")
    twice = conv(way(x, (64, 1, 1), (96, 3, 3)), 96, 3, 3, 2, "valid")
    return joined([three, twice, largest(x)], "mixed3")


def _long(x: KerasTensor, filters: int, name: str) -> KerasTensor:
    one = conv(x, 192, 1, 1)
    seven = way(x, (filters, 1, 1), (filters, 1, 7), (192, 7, 1))
    twice = way(x, (filters, 1, 1), (filters, 7, 1), (filters, 1, 7), (filters, 7, 1), (192, 1, 7))
    return joined([one, seven, twice, pooled(x, 192)], name)


def _smallest(x: KerasTensor) -> KerasTensor:
    three = conv(conv(x, 192, 1, 1), 320, 3, 3, 2, "valid")
    seven = conv(way(x, (192, 1, 1), (192, 1, 7), (192, 7, 1)), 192, 3, 3, 2, "valid")
    return joined([three, seven, largest(x)], "mixed8")


def _spread(x: KerasTensor, number: int) -> Any:
    one = conv(x, 320, 1, 1)
    three = conv(x, 384, 1, 1)
    three = joined([conv(three, 384, 1, 3), conv(three, 384, 3, 1)], f"mixed9_{number}")
    twice = way(x, (448, 1, 1), (384, 3, 3))
    twice = joined([conv(twice, 384, 1, 3), conv(twice, 384, 3, 1)], None)
    return joined([one, three, twice, pooled(x, 192)], f"mixed{9 + number}")


InceptionV3 = network(
    "InceptionV3",
    "The network of Szegedy and others, 2015, for images of 299 pixels. See `VGG16` for the arguments.",
    _body,
    weight_files(
        "inception_v3/inception_v3_weights_tf_dim_ordering_tf_kernels",
        ("9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63"),
    ),
    model_name="inception_v3",
    size=299,
    min_size=75,
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
