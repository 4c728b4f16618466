"""Images seen through projective matrices, as `ImageProjectiveTransformV3` does."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor


def projected(images: Any, matrices: Any, size: list[int], method: str, mode: str, fill: Any) -> Tensor:
    """Each image of a batch read where its matrix puts the pixels of the result.

    Args:
        images: a batch of images.
        matrices: eight numbers for each image, or for all.
        size: height and width of the result.
        method: `NEAREST` or `BILINEAR`.
        mode: what lies outside: `CONSTANT`, `REFLECT`, `WRAP` or `NEAREST`.
        fill: the constant.
    """
    batch, height, width, channels = images.shape.as_list()
    rows, columns = tf.meshgrid(
        tf.range(size[0], dtype=tf.float32), tf.range(size[1], dtype=tf.float32), indexing="ij"
    )
    every = tf.broadcast_to(tf.cast(matrices, tf.float32), [batch, 8])
    a, b, c, d, e, f, g, h = [tf.reshape(every[:, i], [-1, 1, 1]) for i in range(8)]
    depth = g * columns + h * rows + 1.0
    depth_is_zero = depth == 0.0
    safe = tf.where(depth_is_zero, tf.ones_like(depth), depth)
    across = _folded((a * columns + b * rows + c) / safe, width, mode)
    down = _folded((d * columns + e * rows + f) / safe, height, mode)
    across, down = tf.where(depth_is_zero, -2.0, across), tf.where(depth_is_zero, -2.0, down)
    work = tf.cast(images, tf.float32)
    flat = tf.reshape(work, [batch, height * width, channels])
    outside = tf.cast(fill, tf.float32)

    def read(i: Any, j: Any) -> Any:
        is_inside = (i >= 0) & (i < height) & (j >= 0) & (j < width)
        place = tf.clip_by_value(i, 0, height - 1) * width + tf.clip_by_value(j, 0, width - 1)
        found = tf.gather(flat, tf.cast(tf.reshape(place, [batch, -1]), tf.int32), batch_dims=1)
        found = tf.reshape(found, [batch, *size, channels])
        return tf.where(tf.expand_dims(is_inside, -1), found, outside)

    if method == "NEAREST":
        return tf.cast(read(_rounded(down), _rounded(across)), images.dtype)
    top, left = tf.floor(down), tf.floor(across)
    lower, right = tf.expand_dims(down - top, -1), tf.expand_dims(across - left, -1)
    above = read(top, left) * (1 - right) + read(top, left + 1) * right
    below = read(top + 1, left) * (1 - right) + read(top + 1, left + 1) * right
    return tf.cast(above * (1 - lower) + below * lower, images.dtype)


def _rounded(place: Any) -> Tensor:
    """Halves away from 0."""
    return tf.sign(place) * tf.floor(tf.abs(place) + 0.5)


def _folded(place: Any, size: int, mode: str) -> Any:
    """Places outside of the image brought inside, unless a constant lies there."""
    if mode == "CONSTANT":
        return place
    if mode == "REFLECT":
        turned = tf.math.floormod(place, 2.0 * size)
        place = tf.where(turned >= size, 2.0 * size - turned - 1, turned)
    elif mode == "WRAP":
        last = float(max(size - 1, 1))
        below = place + size * (_cut(-place / last) + 1)
        above = place - size * _cut(place / last)
        place = tf.where(place < 0, below, tf.where(place > size - 1, above, place))
    return tf.clip_by_value(place, 0.0, size - 1.0)


def _cut(x: Any) -> Tensor:
    """The whole part of a number."""
    return tf.sign(x) * tf.floor(tf.abs(x))
