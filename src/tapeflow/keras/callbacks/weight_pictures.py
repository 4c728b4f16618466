"""Weights as the pictures that `TensorBoard(write_images=True)` writes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tapeflow.keras import config
from tapeflow.summary.kinds.images import image_strings

_CHANNELS = (1, 3, 4)


def is_drawable(shape: Sequence[int]) -> bool:
    """Whether a weight of this shape can be drawn: of those without channels, any of one to three dimensions."""
    sizes = [n for n in shape if n != 1]
    return 1 <= len(sizes) <= 3 or (len(sizes) == 4 and sizes[-1] in _CHANNELS)


def weight_picture(weight: np.ndarray) -> np.ndarray:
    """What an image summary of a weight holds: its size, and PNGs."""
    return image_strings(as_pictures(weight))


def as_pictures(weight: np.ndarray) -> np.ndarray:
    """A weight as `[k, height, width, channels]`, laid out as Keras does it, dimensions of size 1 left out.

    A vector becomes a column, a matrix lies on its longer side, and of three dimensions the last one, or with
    `channels_first` the first, counts pictures.
    """
    found = np.squeeze(weight)
    if found.ndim == 1:
        return found.reshape(1, -1, 1, 1)
    if found.ndim == 2:
        return (found.T if found.shape[0] > found.shape[1] else found)[None, ..., None]
    if found.ndim == 3:
        if config.image_data_format() == "channels_last":
            found = found.transpose(2, 0, 1)
        return found[..., None]
    return found
