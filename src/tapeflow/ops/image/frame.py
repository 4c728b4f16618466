"""Images flipped, turned, cropped and padded: what moves pixels and computes none."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.rearranging import pad, reverse
from tapeflow.ops.array.shaping import transpose as _transpose
from tapeflow.ops.host_args import describe, read_int
from tapeflow.ops.image.arguments import read_images


def flip_left_right(image: TensorLike) -> Tensor:
    """Images mirrored so that left is right."""
    return reverse(read_images("tf.image.flip_left_right", image), [-2])


def flip_up_down(image: TensorLike) -> Tensor:
    """Images mirrored so that up is down."""
    return reverse(read_images("tf.image.flip_up_down", image), [-3])


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Images with rows and columns exchanged."""
    image = read_images("tf.image.transpose", image)
    return _transpose(image, [1, 0, 2] if image.ndim == 3 else [0, 2, 1, 3])


def rot90(image: TensorLike, k: Any = 1, name: str | None = None) -> Tensor:
    """Images turned counter-clockwise by `k` quarters."""
    image = read_images("tf.image.rot90", image)
    turns = read_int(k, "tf.image.rot90", "k") % 4
    if turns == 0:
        return image
    if turns == 2:
        return reverse(image, [-3, -2])
    return reverse(transpose(image), [-3 if turns == 1 else -2])


def central_crop(image: TensorLike, central_fraction: Any) -> Tensor:
    """The middle of images: this share of their height and width."""
    where = "tf.image.central_crop"
    share = float(central_fraction)
    if not 0 < share <= 1:
        raise ValueError(f"{where}: central_fraction must be within (0, 1]; got central_fraction={share}.")
    image = convert_to_tensor(image)
    if share == 1:
        return image
    image = read_images(where, image)
    height, width = image.spec.shape[-3:-1]
    top, left = (int((float(n) - float(n) * share) / 2) for n in (height, width))
    return image[..., top : height - top, left : width - left, :]


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: Any,
    offset_width: Any,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """The part of images that begins at an offset and has a size."""
    where = "tf.image.crop_to_bounding_box"
    image = read_images(where, image)
    top, left, high, wide = _box(where, offset_height, offset_width, target_height, target_width)
    height, width = image.spec.shape[-3:-1]
    if top < 0 or left < 0 or high <= 0 or wide <= 0 or top + high > height or left + wide > width:
        raise ValueError(
            f"{where} expected a box inside the image: offsets must be >= 0, width must be >= target + offset and "
            f"height must be >= target + offset; got offset_height={top}, offset_width={left}, "
            f"target_height={high}, target_width={wide} for images {describe(image)}."
        )
    return image[..., top : top + high, left : left + wide, :]


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: Any,
    offset_width: Any,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Images inside a larger frame of zeros, at an offset."""
    where = "tf.image.pad_to_bounding_box"
    image = read_images(where, image)
    top, left, high, wide = _box(where, offset_height, offset_width, target_height, target_width)
    height, width = image.spec.shape[-3:-1]
    below, right = high - top - height, wide - left - width
    if min(top, left, below, right) < 0:
        raise ValueError(
            f"{where} expected a frame around the image: offsets must be >= 0, width must be <= target - offset and "
            f"height must be <= target - offset; got offset_height={top}, offset_width={left}, "
            f"target_height={high}, target_width={wide} for images {describe(image)}."
        )
    paddings = [[top, below], [left, right], [0, 0]]
    return pad(image, paddings if image.ndim == 3 else [[0, 0], *paddings])


def _box(where: str, top: Any, left: Any, high: TensorLike, wide: Any) -> tuple[int, int, int, int]:
    return (
        read_int(top, where, "offset_height"),
        read_int(left, where, "offset_width"),
        read_int(high, where, "target_height"),
        read_int(wide, where, "target_width"),
    )


def resize_with_crop_or_pad(image: TensorLike, target_height: TensorLike, target_width: TensorLike) -> Tensor:
    """Images cut or framed with zeros, about their middle, to a size."""
    where = "tf.image.resize_with_crop_or_pad"
    image = read_images(where, image)
    high, wide = read_target(where, target_height, target_width)
    height, width = image.spec.shape[-3:-1]
    cropped = crop_to_bounding_box(
        image, max((height - high) // 2, 0), max((width - wide) // 2, 0), min(high, height), min(wide, width)
    )
    return pad_to_bounding_box(cropped, max((high - height) // 2, 0), max((wide - width) // 2, 0), high, wide)


def read_target(where: str, target_height: TensorLike, target_width: TensorLike) -> tuple[int, int]:
    """A size to bring images to."""
    high, wide = (
        read_int(target_height, where, "target_height"),
        read_int(target_width, where, "target_width"),
    )
    if high <= 0 or wide <= 0:
        raise ValueError(
            f"{where} expected sizes above 0: target_width must be > 0 and target_height must be > 0; got "
            f"target_height={high}, target_width={wide}."
        )
    return high, wide
