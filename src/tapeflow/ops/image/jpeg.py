"""JPEG compression applied to an image and taken back: what is lost is the effect."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import uint8
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import ensure_shape
from tapeflow.ops.control.python_function import numpy_function
from tapeflow.ops.host_args import describe, invalid, known_value
from tapeflow.ops.image.arguments import convert_image_dtype, read_images


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Tensor:
    """An image after JPEG compression of a quality from 0 to 100."""
    where = "tf.image.adjust_jpeg_quality"
    tensor = read_images(where, image, (3,))
    if tensor.spec.shape[-1] not in (1, 3):
        raise invalid(f"{where} expected an image of 1 or 3 channels; got image {describe(tensor)}.")
    quality = convert_to_tensor(jpeg_quality)
    known = known_value(quality)
    if known is not None and not 0 <= known <= 100:
        raise invalid(f"{where} expected jpeg_quality in [0, 100]: quality must be in [0,100]; got {known}.")
    pixels = convert_image_dtype(tensor, uint8, saturate=True)
    compressed = numpy_function(_compressed, [pixels, quality], uint8)
    return convert_image_dtype(ensure_shape(compressed, tensor.shape), tensor.dtype, saturate=True)


def _compressed(pixels: np.ndarray, quality: np.ndarray) -> np.ndarray:
    from PIL import Image  # start-up

    file = io.BytesIO()
    picture = Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)
    picture.save(file, "JPEG", quality=int(quality))
    file.seek(0)
    with Image.open(file) as found:
        return np.asarray(found, np.uint8).reshape(pixels.shape)
