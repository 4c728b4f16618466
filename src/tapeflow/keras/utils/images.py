"""Images to arrays and back, by way of Pillow: `load_img`, `img_to_array`, `array_to_img`, `save_img`."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import config

_MODES = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}
_INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")


def _pillow(where: str) -> ModuleType:
    try:
        from PIL import Image  # start-up
    except ImportError as error:
        raise ImportError(
            f"tf.keras.utils.{where} needs Pillow, which is not installed. Install it with "
            "`pip install pillow`."
        ) from error
    return Image


def load_img(
    path: str | bytes | os.PathLike[str] | io.BytesIO,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: tuple[int, int] | None = None,
    interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:
    """A Pillow image from a file.

    Args:
        path: the file, or its bytes as `io.BytesIO`.
        grayscale: the old spelling of `color_mode="grayscale"`.
        color_mode: "grayscale", "rgb" or "rgba".
        target_size: height and width to scale to.
        interpolation: how: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos".
        keep_aspect_ratio: cut the image to the target's proportions first instead of distorting it.
    """
    pillow = _pillow("load_img")
    if grayscale:
        warnings.warn('grayscale is deprecated. Please use color_mode = "grayscale"', stacklevel=2)
        color_mode = "grayscale"
    if color_mode not in _MODES:
        raise ValueError(
            f'color_mode must be "grayscale", "rgb", or "rgba". Received: color_mode={color_mode}'
        )
    if isinstance(path, io.BytesIO):
        image = pillow.open(path)
    elif isinstance(path, (str, bytes, os.PathLike)):
        image = pillow.open(io.BytesIO(Path(os.fsdecode(path)).read_bytes()))
    else:
        raise TypeError(f"path should be path-like or io.BytesIO, not {type(path)}")
    # Deep grey images stay as they are.
    if not (color_mode == "grayscale" and image.mode in ("L", "I;16", "I")):
        image = image.convert(_MODES[color_mode])
    if target_size is None or image.size == (target_size[1], target_size[0]):
        return image
    if interpolation not in _INTERPOLATIONS:
        raise ValueError(
            f"Invalid interpolation method {interpolation} specified. "
            f"Supported methods are {', '.join(_INTERPOLATIONS)}"
        )
    height, width = target_size
    box = _middle(image.size, (width, height)) if keep_aspect_ratio else None
    return image.resize((width, height), pillow.Resampling[interpolation.upper()], box=box)


def _middle(size: tuple[int, int], target: tuple[int, int]) -> tuple[int, int, int, int]:
    """The largest box in the middle of an image that has the proportions of `target`."""
    width, height = size
    box_width = min(width, height * target[0] // target[1])
    box_height = min(height, width * target[1] // target[0])
    left, top = (width - box_width) // 2, (height - box_height) // 2
    return left, top, left + box_width, top + box_height


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> np.ndarray:
    """A Pillow image as an array of height, width and channels, in the order of `data_format`."""
    channels_first = config.read_data_format(data_format) == "channels_first"
    array = np.array(img, dtype=config.floatx() if dtype is None else dtype)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise ValueError(f"Unsupported image shape: {array.shape}")
    return array.transpose(2, 0, 1) if channels_first else array


def array_to_img(x: Any, data_format: str | None = None, scale: bool = True, dtype: str | None = None) -> Any:
    """A Pillow image from an array; with `scale` its smallest value becomes black and its largest white."""
    pillow = _pillow("array_to_img")
    channels_first = config.read_data_format(data_format) == "channels_first"
    array = np.array(x, dtype=config.floatx() if dtype is None else dtype)
    if array.ndim != 3:
        raise ValueError(
            f"Expected image array to have rank 3 (single image). Got array with shape: {array.shape}"
        )
    if channels_first:
        array = array.transpose(1, 2, 0)
    if scale:
        array = array - array.min()
        top = array.max()
        array = array * (255 / top if top else 1)
    channel_count = array.shape[2]
    if channel_count in (3, 4):
        return pillow.fromarray(array.astype("uint8"))
    if channel_count == 1:
        # Pillow's 32-bit grey, where 8 bits do not hold the values.
        return pillow.fromarray(array[:, :, 0].astype("int32" if array.max() > 255 else "uint8"))
    raise ValueError(f"Unsupported channel number: {channel_count}. Expected 1, 3 or 4.")


def save_img(
    path: Any,
    x: TensorLike,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Write an array as an image file; other arguments are passed to Pillow's `Image.save`."""
    image = array_to_img(x, data_format=data_format, scale=scale)
    if image.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        warnings.warn("The JPG format does not support RGBA images, converting to RGB.", stacklevel=2)
        image = image.convert("RGB")
    image.save(path, format="jpeg" if file_format == "jpg" else file_format, **kwargs)


def smart_resize(x: Any, size: tuple[int, int], interpolation: str = "bilinear") -> Any:
    """Images of another size, cut to its proportions around the middle first: nothing is distorted.

    Args:
        x: an image or a batch of them, channels last; a numpy array or a tensor, as the result is.
        size: height and width.
        interpolation: as `tf.image.resize` has it.
    """
    import tapeflow as tf  # start-up

    if len(size) != 2 or np.ndim(x) not in (3, 4):
        raise ValueError(
            "smart_resize expected images of shape ([batch,] height, width, channels) and a size of two integers; got "
            f"shape {tuple(np.shape(x))} and size={size!r}."
        )
    height, width = x.shape[-3:-1]
    tall, wide = min(height, int(width * size[0] / size[1])), min(width, int(height * size[1] / size[0]))
    top, left = (height - tall) // 2, (width - wide) // 2
    found = tf.image.resize(x[..., top : top + tall, left : left + wide, :], size, method=interpolation)
    return found.numpy() if isinstance(x, np.ndarray) else found
