"""Images in files: `tf.io.decode_png`, `decode_jpeg`, `decode_image`, `encode_png` and their kin, by Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int32, uint8, uint16
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.strings.text import read_strings, string_tensor

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_MOST_PIXELS = 1 << 28


def _opened(contents: TensorLike, where: str) -> Any:
    from PIL import Image, UnidentifiedImageError  # start-up

    texts = read_strings(contents, where, "contents")
    if texts.shape:
        raise invalid(f"{where} expected one string; got contents of shape {list(texts.shape)}.")
    try:
        image = Image.open(io.BytesIO(texts.item()))
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError):
        raise invalid(
            f"{where} expected an image: unknown image file format, one of JPEG, PNG, GIF, BMP required; got "
            f"{len(texts.item())} bytes beginning {texts.item()[:12]!r}."
        ) from None
    if image.width * image.height > _MOST_PIXELS:
        raise invalid(f"{where} expected at most {_MOST_PIXELS} pixels; got {image.width} x {image.height}.")
    return image


def _pixels(image: Any, channels: int, where: str, wide: bool = False) -> np.ndarray:
    """Height, width and channels; as many of the latter as asked for, or as the file has."""
    try:
        if image.mode.startswith("I;16") or (image.mode == "I" and image.format == "PNG"):
            array = np.asarray(image).astype(np.uint16)
            array = array if wide else (array >> 8).astype(np.uint8)
            return np.repeat(array[..., None], 3 if channels == 3 else 1, axis=2)
        if not channels:
            transparent = image.mode == "PA" or (image.mode == "P" and "transparency" in image.info)
            own = {"1": 1, "L": 1, "LA": 2, "RGB": 3, "RGBA": 4, "CMYK": 3, "YCbCr": 3}
            channels = own.get(image.mode, 4 if transparent else 3)
        if channels == 1 and image.format == "PNG" and image.mode not in ("1", "L", "LA"):
            return _gray(np.asarray(image.convert("RGB")))
        array = np.asarray(image.convert(_MODES[channels]))
    except (OSError, SyntaxError, ValueError) as error:
        raise invalid(f"{where} expected a whole image: invalid or truncated data; {error}.") from None
    array = array if array.ndim == 3 else array[..., None]
    return array.astype(np.uint16) * 257 if wide else array


def _gray(colours: np.ndarray) -> np.ndarray:
    """Gray values of a PNG's colours, with the weights that TensorFlow gives libpng."""
    weights = np.array([9798, 19235, 3735], np.int64)  # of 32768: red, green, blue
    return ((colours.astype(np.int64) @ weights) >> 15).astype(np.uint8)[..., None]


def _channels(channels: int | None, where: str, known: tuple[int, ...]) -> int:
    count = channels or 0
    if count not in known:
        raise invalid(f"{where} expected channels to be one of {list(known)}; got channels={channels}.")
    return count


def decode_png(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Tensor:
    """A PNG image as an array of height, width and channels, of uint8 or uint16."""
    where = "tf.io.decode_png"
    kind = as_dtype(dtype)
    if kind not in (uint8, uint16):
        raise TypeError(f"{where} expected dtype uint8 or uint16; got dtype={kind.name}.")
    count = _channels(channels, where, (0, 1, 2, 3, 4))
    return convert_to_tensor(_pixels(_opened(contents, where), count, where, kind is uint16))


def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A JPEG image as an array of height, width and channels; `ratio` makes it smaller."""
    where = "tf.io.decode_jpeg"
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"{where} expected a ratio of 1, 2, 4 or 8; got ratio={ratio}.")
    image = _opened(contents, where)
    if ratio > 1:
        image.draft(image.mode, (-(-image.width // ratio), -(-image.height // ratio)))
    return convert_to_tensor(_pixels(image, _channels(channels, where, (0, 1, 3)), where))


def decode_and_crop_jpeg(
    contents: TensorLike, crop_window: TensorLike, channels: int = 0, name: str | None = None, **kwargs: Any
) -> Tensor:
    """A part of a JPEG image; the window is (y, x, height, width)."""
    where = "tf.io.decode_and_crop_jpeg"
    image = decode_jpeg(contents, channels, **kwargs)
    y, x, height, width = (int(v) for v in np.asarray(crop_window).tolist())
    if y < 0 or x < 0 or y + height > image.spec.shape[0] or x + width > image.spec.shape[1]:
        raise invalid(f"{where} expected a window inside of the image; got {[y, x, height, width]}.")
    return image[y : y + height, x : x + width]


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """A BMP image as an array of height, width and channels."""
    where = "tf.io.decode_bmp"
    return convert_to_tensor(
        _pixels(_opened(contents, where), _channels(channels, where, (0, 1, 3, 4)), where)
    )


def decode_webp(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Tensor:
    """A WebP image as an array of height, width and channels."""
    where = "tf.io.decode_webp"
    return convert_to_tensor(_pixels(_opened(contents, where), _channels(channels, where, (0, 3, 4)), where))


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """The frames of a GIF image: an array of frames, height, width and three channels."""
    where = "tf.io.decode_gif"
    return convert_to_tensor(_frames(_opened(contents, where), 3, where))


def _frames(image: Any, channels: int, where: str) -> np.ndarray:
    frames = []
    total = 0
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        total += image.width * image.height
        if total > _MOST_PIXELS:
            raise invalid(f"{where} expected at most {_MOST_PIXELS} pixels in all frames.")
        frames.append(_pixels(image, channels, where))
    return np.stack(frames)


def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """An image of any of these kinds; a GIF has its frames as first dimension unless `expand_animations=False`.

    Args:
        contents: the bytes of a file.
        channels: how many channels to make of it; as many as the file has if it is None.
        dtype: uint8, uint16, or a floating dtype for values between 0 and 1.
        name: ignored.
        expand_animations: whether a GIF gives all its frames.
    """
    where = "tf.io.decode_image"
    image = _opened(contents, where)
    count = _channels(channels, where, (0, 1, 3, 4))
    if image.format == "GIF":
        frames = _frames(image, count or 3, where)
        array = frames if expand_animations else frames[0]
    else:
        array = _pixels(image, count, where)
    return convert_to_tensor(_converted(array, as_dtype(dtype), where))


def _converted(array: np.ndarray, dtype: DType, where: str) -> np.ndarray:
    if dtype is uint8:
        return array
    if dtype is uint16:
        return array.astype(np.uint16) * 257
    if dtype.is_floating:
        return (array.astype(np.float32) / np.float32(255)).astype(dtype.as_numpy_dtype)
    raise TypeError(f"{where} expected dtype uint8, uint16 or a floating one; got dtype={dtype.name}.")


def _image(value: object) -> Tensor:
    """An image as a tensor; lists of numbers are pixels of uint8."""
    return convert_to_tensor(value, None if hasattr(value, "dtype") else uint8)


def _encoded(image: TensorLike, where: str, kinds: tuple[DType, ...], **options: Any) -> Tensor:
    from PIL import Image  # start-up

    tensor = _image(image)
    if tensor.dtype not in kinds or tensor.ndim < 3 or tensor.shape[-1] not in _MODES:
        raise invalid(
            f"{where} expected an image of {' or '.join(k.name for k in kinds)} with height, width and 1 to 4 "
            f"channels; got {describe(tensor)}. Use tf.image.convert_image_dtype."
        )
    array = np.asarray(tensor.numpy())
    found = []
    for one in array.reshape(-1, *array.shape[-3:]):
        plain = one[..., 0] if one.shape[-1] == 1 else one
        if plain.dtype == np.uint16 and plain.ndim == 3:
            raise invalid(f"{where} expected one channel for uint16; got {one.shape[-1]}.")
        target = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(plain)).save(target, **options)
        found.append(target.getvalue())
    return string_tensor(found, array.shape[:-3])


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """An image as a PNG file: uint8 with 1 to 4 channels, or uint16 with one."""
    level = 6 if compression < 0 else compression
    return _encoded(image, "tf.io.encode_png", (uint8, uint16), format="PNG", compress_level=level)


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """An image as a JPEG file: uint8 with 1 or 3 channels."""
    where = "tf.io.encode_jpeg"
    tensor = _image(image)
    if tensor.ndim != 3 or tensor.shape[-1] not in (1, 3):
        raise invalid(f"{where} expected height, width and 1 or 3 channels; got {describe(tensor)}.")
    return _encoded(
        tensor,
        where,
        (uint8,),
        format="JPEG",
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        subsampling=2 if chroma_downsampling else 0,
        dpi=(x_density, y_density),
    )


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether bytes begin like a JPEG file."""
    text = read_strings(contents, "tf.io.is_jpeg", "contents").item()
    return convert_to_tensor(text.startswith(b"\xff\xd8\xff"))


def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG file, whose pixels are not read."""
    image = _opened(contents, "tf.io.extract_jpeg_shape")
    shape = [image.height, image.width, len(image.getbands())]
    return convert_to_tensor(np.array(shape, as_dtype(output_type).as_numpy_dtype))
