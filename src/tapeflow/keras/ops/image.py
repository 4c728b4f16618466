"""`tf.keras.ops.image`: Keras 3's functions of images, made of those of `tf.image`.

Images are batches or single ones. Their channels are where `data_format` says, and last if neither that nor
`image_data_format()` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.config import read_data_format
from tapeflow.keras.ops.conversion import alike, floating, tensor
from tapeflow.ops.image.transform import transform_op


def _channels_last(images: Any, data_format: str | None, function: Callable[[Any], Any]) -> Any:
    """What a function of images with channels last gives for these."""
    if read_data_format(data_format) != "channels_first":
        return function(images)
    rank = len(images.shape)
    last = [*range(rank - 3), rank - 2, rank - 1, rank - 3]
    first = [*range(rank - 3), rank - 1, rank - 3, rank - 2]
    return tf.transpose(function(tf.transpose(images, last)), first)


def _in_batches(images: Any, function: Callable[[Any], Any]) -> Any:
    return function(images) if len(images.shape) == 4 else function(images[None])[0]


def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Tensor:
    """Images in another size, `(height, width)`.

    Args:
        images: one or a batch.
        size: the height and the width wanted.
        interpolation: a method of `tf.image.resize`.
        antialias: whether to smooth what is made smaller.
        crop_to_aspect_ratio: cut off what does not fit the new ratio of sides, instead of distorting.
        pad_to_aspect_ratio: add margins instead of distorting.
        fill_mode: `'constant'`.
        fill_value: what margins are filled with.
        data_format: where the channels are.
    """
    if fill_mode != "constant":
        raise ValueError(
            f"keras.ops.image.resize expected fill_mode='constant'; got fill_mode={fill_mode!r}. Leave it out."
        )
    if crop_to_aspect_ratio and pad_to_aspect_ratio:
        raise ValueError(
            "keras.ops.image.resize expected one of crop_to_aspect_ratio and pad_to_aspect_ratio; got both. Choose one."
        )
    images = tensor(images)
    height, width = size

    def resized(given: Any) -> Any:
        rows, columns = given.shape[-3], given.shape[-2]
        if crop_to_aspect_ratio:
            fitting = min(rows, columns * height // width), min(columns, rows * width // height)
            given = _cut(given, (rows - fitting[0]) // 2, (columns - fitting[1]) // 2, *fitting)
        elif pad_to_aspect_ratio:
            wanted = max(rows, columns * height // width), max(columns, rows * width // height)
            given = _framed(given, (wanted[0] - rows) // 2, (wanted[1] - columns) // 2, *wanted, fill_value)
        found = tf.image.resize(given, size, interpolation, antialias=antialias)
        return found if found.dtype is given.dtype else tf.cast(found, given.dtype)

    return _channels_last(images, data_format, resized)


def _cut(images: Any, top: int, left: int, height: int, width: int) -> Any:
    return images[..., top : top + height, left : left + width, :]


def _framed(images: Any, top: int, left: int, height: int, width: int, value: float = 0.0) -> Any:
    rows, columns = images.shape[-3], images.shape[-2]
    margins = [[top, height - rows - top], [left, width - columns - left], [0, 0]]
    return tf.pad(images, [[0, 0]] * (len(images.shape) - 3) + margins, constant_values=value)


def _margins(
    where: str, whole: Any, before: Any, after: int | None, target: Any, grows: bool
) -> tuple[int, int]:
    """The margin before and the resulting size of an axis, from two of the margins and the size wanted."""
    if [before, after, target].count(None) != 1:
        raise ValueError(
            f"keras.ops.image.{where} expected two of the margins and the target size of an axis; got before={before}, "
            f"after={after}, target={target}. Leave out one."
        )
    sign = 1 if grows else -1
    if target is None:
        target = whole + sign * ((before or 0) + (after or 0))
    if before is None:
        before = sign * (target - whole) - (after or 0)
    return before, target


def pad_images(
    images: TensorLike,
    top_padding: int | None = None,
    left_padding: int | None = None,
    bottom_padding: int | None = None,
    right_padding: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Images with zeros around them."""

    def padded(given: Any) -> Any:
        top, height = _margins(
            "pad_images", given.shape[-3], top_padding, bottom_padding, target_height, True
        )
        left, width = _margins("pad_images", given.shape[-2], left_padding, right_padding, target_width, True)
        return _framed(given, top, left, height, width)

    return _channels_last(tensor(images), data_format, padded)


def crop_images(
    images: TensorLike,
    top_cropping: int | None = None,
    left_cropping: int | None = None,
    bottom_cropping: int | None = None,
    right_cropping: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Tensor:
    """A part of images."""

    def cropped(given: Any) -> Any:
        where = "crop_images"
        top, height = _margins(where, given.shape[-3], top_cropping, bottom_cropping, target_height, False)
        left, width = _margins(where, given.shape[-2], left_cropping, right_cropping, target_width, False)
        return _cut(given, top, left, height, width)

    return _channels_last(tensor(images), data_format, cropped)


def extract_patches(
    images: TensorLike,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """Windows of images, each flattened into the channels."""
    rows, columns = _pair(size)
    steps, rates = _pair(strides or size), _pair(dilation_rate)

    def windows(given: Any) -> Any:
        return tf.image.extract_patches(
            given, [1, rows, columns, 1], [1, *steps, 1], [1, *rates, 1], padding.upper()
        )

    return _channels_last(tensor(images), data_format, lambda given: _in_batches(given, windows))


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def rgb_to_grayscale(images: TensorLike, data_format: str | None = None) -> Tensor:
    """How bright each place is."""
    return _channels_last(tensor(images), data_format, tf.image.rgb_to_grayscale)


def rgb_to_hsv(images: TensorLike, data_format: str | None = None) -> Tensor:
    """Red, green and blue as hue, saturation and value."""
    return _channels_last(floating(images), data_format, tf.image.rgb_to_hsv)


def hsv_to_rgb(images: TensorLike, data_format: str | None = None) -> Tensor:
    """Hue, saturation and value as red, green and blue."""
    return _channels_last(floating(images), data_format, tf.image.hsv_to_rgb)


def affine_transform(
    images: Any,
    transform: TensorLike,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0,
    data_format: str | None = None,
) -> Tensor:
    """Images seen through `(a0, a1, a2, b0, b1, b2, c0, c1)`: the place (x, y) shows what was at (a x + b, ...)."""
    images, matrices = floating(images), tensor(transform, "float32")

    def moved(given: Any) -> Any:
        if len(given.shape) == 3:
            return moved(given[None])[0]
        rows = tf.broadcast_to(tf.reshape(matrices, [-1, 8]), [given.shape[0], 8])
        return transform_op(
            given, rows, interpolation=interpolation, fill_mode=fill_mode, fill_value=float(fill_value)
        )

    return _channels_last(images, data_format, moved)


def perspective_transform(
    images: TensorLike,
    start_points: Any,
    end_points: Any,
    interpolation: str = "bilinear",
    fill_value: float = 0,
    data_format: str | None = None,
) -> Tensor:
    """Images with four corners, `start_points`, moved to `end_points`; points are `(x, y)`."""
    start, end = alike(floating(start_points), floating(end_points))
    start, end = tf.reshape(start, [-1, 4, 2]), tf.reshape(end, [-1, 4, 2])
    x, y = end[..., 0], end[..., 1]
    u, v = start[..., 0], start[..., 1]
    one, none = tf.ones_like(x), tf.zeros_like(x)
    first = tf.stack([x, y, one, none, none, none, -x * u, -y * u], -1)
    second = tf.stack([none, none, none, x, y, one, -x * v, -y * v], -1)
    equations = tf.concat([first, second], 1)
    matrices = tf.linalg.solve(equations, tf.concat([u, v], 1)[..., None])[..., 0]
    return affine_transform(images, matrices, interpolation, "constant", fill_value, data_format)


def map_coordinates(
    inputs: Any,
    coordinates: TensorLike,
    order: int,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
) -> Tensor:
    """The values at places between elements: `coordinates` has a row for each axis of `inputs`.

    Args:
        inputs: the values.
        coordinates: the places.
        order: 0 for the nearest element, 1 for a line between neighbours.
        fill_mode: `'constant'`, or `'nearest'` for the element at the border, for places outside.
        fill_value: the value outside.
    """
    if order not in (0, 1) or fill_mode not in ("constant", "nearest"):
        raise ValueError(
            "keras.ops.image.map_coordinates expected order 0 or 1, and fill_mode 'constant' or 'nearest'; got "
            f"order={order!r}, fill_mode={fill_mode!r}."
        )
    inputs, places = tensor(inputs), tf.unstack(floating(coordinates))
    found: Any = tf.zeros_like(places[0])
    for corner in range(2 ** len(places) if order else 1):
        weight: Any = 1.0
        indices = []
        for axis, place in enumerate(places):
            low = tf.floor(place)
            if not order:
                index = tf.round(place)
            elif corner >> axis & 1:
                index, weight = low + 1.0, weight * (place - low)
            else:
                index, weight = low, weight * (1.0 - (place - low))
            indices.append(tf.cast(index, tf.int32))
        found = found + weight * tf.cast(_elements(inputs, indices, fill_mode, fill_value), found.dtype)
    return tf.cast(tf.round(found) if inputs.dtype.is_integer else found, inputs.dtype)


def _elements(inputs: Any, indices: list[Any], fill_mode: str, fill_value: float) -> Any:
    """The elements at whole-numbered places, of which some may be outside."""
    is_inside: Any = True
    inner = []
    for size, index in zip(inputs.shape, indices, strict=True):
        is_inside = tf.logical_and(is_inside, tf.logical_and(index >= 0, index < size))
        inner.append(tf.clip_by_value(index, 0, size - 1))
    found = tf.gather_nd(inputs, tf.stack(inner, -1))
    return found if fill_mode == "nearest" else tf.where(is_inside, found, tf.cast(fill_value, found.dtype))


def gaussian_blur(
    images: Any,
    kernel_size: Any = (3, 3),
    sigma: Any = (1.0, 1.0),
    data_format: str | None = None,
) -> Tensor:
    """Images blurred by a normal distribution in each direction."""
    rows, columns = (
        _bell(size, deviation) for size, deviation in zip(_pair(kernel_size), tuple(sigma), strict=True)
    )
    images = floating(images)

    def blurred(given: Any) -> Any:
        channels = given.shape[-1]
        kernel = tf.cast(rows[:, None] * columns[None, :], given.dtype)
        kernel = tf.tile(kernel[:, :, None, None], [1, 1, channels, 1])
        return tf.nn.depthwise_conv2d(given, kernel, [1, 1, 1, 1], "SAME")

    return _channels_last(images, data_format, lambda given: _in_batches(given, blurred))


def _bell(size: int, deviation: float) -> Any:
    places = tf.range(size, dtype=tf.float32) - (size - 1) / 2.0
    found = tf.exp(-tf.square(places) / (2.0 * tf.square(tf.cast(deviation, tf.float32))))
    return found / tf.reduce_sum(found)
