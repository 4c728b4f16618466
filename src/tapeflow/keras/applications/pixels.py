"""ImageNet's pixels, from 0 to 1: their means and deviations by channel, and layers that standardise by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.keras import layers
from tapeflow.keras.applications.assembly import channel_axis

if TYPE_CHECKING:
    from tapeflow.keras.graph.keras_tensor import KerasTensor

MEANS = (0.485, 0.456, 0.406)
DEVIATIONS = (0.229, 0.224, 0.225)


def standardised(x: KerasTensor) -> Any:
    """Images from 0 to 255 with mean 0 and deviation 1; from 0 to 1 if they have not three channels."""
    x = layers.Rescaling(scale=1.0 / 255)(x)
    if x.shape[channel_axis()] != 3:
        return x
    variances = [d**2 for d in DEVIATIONS]
    return layers.Normalization(mean=list(MEANS), variance=variances, axis=channel_axis())(x)
