"""`VGG16`: thirteen small convolutions in five blocks, and three dense layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.applications import imagenet_utils
from tapeflow.keras.applications.vgg import vgg

if TYPE_CHECKING:
    from tapeflow.keras.graph.keras_tensor import KerasTensor

VGG16 = vgg(
    "VGG16", (2, 2, 3, 3, 3), ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc")
)


def preprocess_input(x: KerasTensor, data_format: str | None = None) -> np.ndarray | Tensor:
    """Images from 0 to 255 as BGR less ImageNet's mean."""
    return imagenet_utils.preprocess_input(x, data_format, mode="caffe")


decode_predictions = imagenet_utils.decode_predictions
