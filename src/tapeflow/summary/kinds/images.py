"""`tf.summary.image`."""

from __future__ import annotations

import io
from functools import partial
from typing import SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.limits import check_rank, first, output_limit

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def image(
    name: str,
    data: npt.ArrayLike,
    step: SupportsInt | None = None,
    max_outputs: npt.ArrayLike = 3,
    description: str | None = None,
) -> bool:
    """Write images.

    Args:
        name: the tag; the name scope is put in front of it.
        data: pictures of shape `[k, height, width, channels]`, with 1 to 4 channels (grey, grey and alpha, RGB,
            RGBA): floats from 0 to 1, or uint8. Other integers are scaled by the range of their type.
        step: the step, unless there is a default one.
        max_outputs: how many of them to write; the rest are left out.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.
    """
    writer = recording_writer()
    if writer is None:
        return False
    most = output_limit("image", max_outputs)
    return emit(
        writer,
        tag_of(name, "image_summary"),
        first(data, most),
        step,
        encoding.metadata("images", description=description),
        partial(image_strings, most=most),
        partial(check_pictures, "image"),
    )


def check_pictures(where: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Raise unless a value of this shape and type can be drawn."""
    check_rank(where, shape, 4, "[k, height, width, channels]", "Add the missing dimension with data[None].")
    if shape[3] not in _MODES:
        raise ValueError(
            f"tf.summary.{where} expected 1, 2, 3 or 4 channels in the last dimension; got data of shape "
            f"{shape}. Move or pick the channels first."
        )
    if dtype.kind not in "fiubV":
        raise TypeError(f"tf.summary.{where} expected numbers; got data of dtype {dtype}.")


def image_strings(images: np.ndarray, most: int = 3) -> np.ndarray:
    """What an image summary holds: width and height as text, then each picture as a PNG."""
    pictures = to_uint8(images[:most])
    _, height, width, _ = images.shape
    return np.array([str(width).encode(), str(height).encode(), *map(png, pictures)], dtype=object)


def to_uint8(images: np.ndarray) -> np.ndarray:
    """Pixels as uint8: floats from 0 to 1 and the whole range of an integer type become 0 to 255."""
    kind = images.dtype.kind
    if images.dtype == np.uint8:
        return images
    if kind == "b":
        return images.astype(np.uint8) * np.uint8(255)
    if kind in "iu":
        largest = np.iinfo(images.dtype).max
        if largest > 255:
            return np.clip(images // ((largest + 1) // 256), 0, 255).astype(np.uint8)
        return np.clip(images, 0, 255).astype(np.uint8) * np.uint8(256 // (largest + 1))
    floats = images if images.dtype == np.float64 else images.astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.clip(np.nan_to_num(floats * floats.dtype.type(255.5)), 0, 255).astype(np.uint8)


def png(picture: np.ndarray) -> bytes:
    """A picture of shape `[height, width, channels]`, uint8, as a PNG file."""
    from PIL import Image  # start-up

    height, width, channels = picture.shape
    if not height or not width:
        raise ValueError(f"tf.summary.image expected pictures with pixels; got shape {picture.shape}.")
    found = Image.frombytes(_MODES[channels], (width, height), np.ascontiguousarray(picture).tobytes())
    file = io.BytesIO()
    found.save(file, "PNG")
    return file.getvalue()
