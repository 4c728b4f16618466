"""Images in another size: every method but the nearest pixel is a product with a matrix for each axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.shapes.expression import Size
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.enlarging import METHODS, Kernel, array_module
from tapeflow.ops.host_args import describe, index_tensor, invalid, read_ints
from tapeflow.ops.image.arguments import read_images
from tapeflow.ops.image.frame import pad_to_bounding_box, read_target
from tapeflow.ops.math.casting import cast

RESIZE_METHODS = ("nearest", "area", *METHODS)


@op(name="ResizeImages")
def resize_op(images: jax.Array, *, size: tuple[int, int], method: str, antialias: bool = False) -> jax.Array:
    """Images (..., height, width, channels) brought to a size."""
    for axis, new in zip((-3, -2), size, strict=True):
        old = images.shape[axis]
        if method == "nearest":
            xp = array_module(old, new)
            places = xp.floor((xp.arange(new) + 0.5) * _ratio(xp, old, new))
            places = xp.minimum(places, old - 1).astype("int32")
            images = jnp.take(images, places, axis=axis)
        elif new != old:
            mixed = _area(old, new) if method == "area" else _mixed(old, new, METHODS[method], antialias)
            weights = jnp.asarray(mixed, images.dtype)
            images = jnp.moveaxis(jnp.tensordot(images, weights, ((axis,), (1,))), -1, axis)
    return images


def _mixed(old: Size, new: Size, kernel: Kernel, antialias: bool) -> Any:
    """How much of each old pixel goes into each new one, by the distance of their centres.

    With `antialias` the kernel of an image made smaller is as wide as a new pixel, so that none is left out.
    """
    xp = array_module(old, new)
    ratio = _ratio(xp, old, new)
    centres = (xp.arange(new) + 0.5) * ratio - 0.5
    distances = xp.abs(centres[:, None] - xp.arange(old))
    weights = kernel(xp, distances / xp.maximum(ratio, 1.0) if antialias else distances)
    return weights / weights.sum(1, keepdims=True)


def _area(old: Size, new: Size) -> Any:
    """How much of each old pixel lies within each new one."""
    xp = array_module(old, new)
    edges, pixels = xp.arange(new + 1) * _ratio(xp, old, new), xp.arange(old)
    overlap = xp.minimum(edges[1:, None], pixels + 1) - xp.maximum(edges[:-1, None], pixels)
    weights = xp.maximum(overlap, 0)
    return weights / weights.sum(1, keepdims=True)


def _ratio(xp: Any, old: Size, new: Size) -> Any:
    """How many old pixels make a new one."""
    return old / new if xp is np else jnp.asarray(old, jnp.float64) / jnp.asarray(new, jnp.float64)


class ResizeMethod:
    """The names of ways to resize."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def resize(
    images: TensorLike,
    size: TensorLike,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images brought to a size; float32, unless by the nearest pixel.

    Args:
        images: one image or a batch.
        size: height and width.
        method: one of `tf.image.ResizeMethod`.
        preserve_aspect_ratio: give the largest size within `size` that has the shape of the image.
        antialias: smooth before making smaller.
    """
    where = "tf.image.resize"
    images = read_images(where, images)
    if method not in RESIZE_METHODS:
        raise ValueError(
            f"{where} expected method to be one of {', '.join(RESIZE_METHODS)}: Resize method is not implemented; "
            f"got method={method!r}."
        )
    new = read_ints(size, where, "size")
    if len(new) != 2 or min(new) < 0:
        raise ValueError(
            f"{where}: 'size' must be a 1-D Tensor of 2 elements: new_height, new_width; got size={list(new)}."
        )
    height, width = images.spec.shape[-3:-1]
    if preserve_aspect_ratio:
        scale = min(np.float32(new[0]) / np.float32(height), np.float32(new[1]) / np.float32(width))
        new = (int(np.round(scale * np.float32(height))), int(np.round(scale * np.float32(width))))
    if min(new) == 0:
        raise invalid(f"{where} expected a size: output dimensions must be positive; got size={list(new)}.")
    if method == "nearest":
        return resize_op(images, size=new, method=method)
    is_smoothed = bool(antialias) and method != "area"
    return resize_op(cast(images, float32), size=new, method=method, antialias=is_smoothed)


def resize_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: Any = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Images resized, keeping their shape, to fit a size, with zeros for the rest."""
    where = "tf.image.resize_with_pad"
    image = read_images(where, image)
    high, wide = read_target(where, target_height, target_width)
    height, width = (np.float32(n) for n in image.spec.shape[-3:-1])
    ratio = max(width / np.float32(wide), height / np.float32(high))
    tall, broad = height / ratio, width / ratio
    resized = resize(image, [int(tall), int(broad)], method, antialias=antialias)
    top, left = int((np.float32(high) - tall) / 2), int((np.float32(wide) - broad) / 2)
    return pad_to_bounding_box(resized, max(0, top), max(0, left), high, wide)


def _crop_places(begin: jax.Array, end: jax.Array, last: Any, count: int) -> jax.Array:
    """The places along an axis that a crop is read at, rounded to float32 after each step as TensorFlow's kernel does.

    XLA would fuse and reorder the steps, and a place at the border could come to lie beyond it.
    """

    def rounded(x: jax.Array) -> jax.Array:
        return jax.lax.reduce_precision(x, 8, 23)

    begin, end = begin.astype(jnp.float64), end.astype(jnp.float64)
    if count == 1:
        return rounded(rounded(rounded(begin + end) * 0.5) * last)[:, None].astype(jnp.float32)
    step = rounded(rounded(rounded(end - begin) * last) / (count - 1))
    steps = rounded(jnp.arange(count, dtype=jnp.float64) * step[:, None])
    return rounded(rounded(begin * last)[:, None] + steps).astype(jnp.float32)


@op(
    name="CropAndResize",
    same_dtype=False,
    check=index_check(arg=2, limit=lambda arrays, statics: arrays[0].shape[0]),
    check_text=(
        "tf.image.crop_and_resize expected every box to belong to one of the {limit} images: box_index has values "
        "outside [0, batch_size); got {value}."
    ),
)
def _crop_op(
    images: jax.Array,
    boxes: jax.Array,
    owners: jax.Array,
    *,
    size: tuple[int, int],
    method: str,
    outside: float,
) -> jax.Array:
    """For each box, a picture of `size` read at places between its corners."""
    places = [
        _crop_places(boxes[:, axis], boxes[:, 2 + axis], images.shape[1 + axis] - 1, count)
        for axis, count in enumerate(size)
    ]
    rows, columns = places[0][:, :, None], places[1][:, None, :]
    last_row, last_column = images.shape[1] - 1, images.shape[2] - 1
    is_inside = (rows >= 0) & (rows <= last_row) & (columns >= 0) & (columns <= last_column)
    owner = owners.astype(jnp.int32)[:, None, None]

    def read(i: jax.Array, j: jax.Array) -> jax.Array:
        i, j = jnp.clip(i, 0, last_row).astype(jnp.int32), jnp.clip(j, 0, last_column).astype(jnp.int32)
        return images[owner, i, j]

    if method == "nearest":
        found = read(jnp.floor(rows + 0.5), jnp.floor(columns + 0.5))
    else:
        top, left = jnp.floor(rows), jnp.floor(columns)
        down, right = (rows - top)[..., None], (columns - left)[..., None]
        upper = read(top, left) * (1 - right) + read(top, left + 1) * right
        found = (
            upper * (1 - down) + (read(top + 1, left) * (1 - right) + read(top + 1, left + 1) * right) * down
        )
    return jnp.where(is_inside[..., None], found, jnp.asarray(outside, found.dtype))


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """A part of an image for each box, brought to one size, as float32.

    Args:
        image: a batch of images.
        boxes: rows of y1, x1, y2, x2 as shares of height and width; beyond the image lies a constant.
        box_indices: the index of the image of each box.
        crop_size: height and width of the result.
        method: "bilinear" or "nearest".
        extrapolation_value: what lies beyond the image.
    """
    where = "tf.image.crop_and_resize"
    image = read_images(where, image, (4,))
    corners = cast(convert_to_tensor(boxes, dtype_hint=float32), float32)
    owners = index_tensor(box_indices, where, "box_indices")
    if corners.ndim != 2 or corners.spec.shape[1] != 4 or owners.spec.shape != corners.spec.shape[:1]:
        raise invalid(
            f"{where} expected boxes of shape [n, 4] and box_indices of shape [n]; got boxes {describe(corners)} "
            f"and box_indices {describe(owners)}."
        )
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"{where} expected method to be 'bilinear' or 'nearest'; got method={method!r}.")
    high, wide = read_ints(crop_size, where, "crop_size")
    return _crop_op(
        cast(image, float32),
        corners,
        owners,
        size=(high, wide),
        method=method,
        outside=float(extrapolation_value),
    )
