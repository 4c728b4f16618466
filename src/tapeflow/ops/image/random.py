"""Images changed at random: `tf.image.random_*` from the global state, `stateless_random_*` from a seed.

Each pair shares one function of a key and differs in where the key comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.random import next_key, stateless_key
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32, int32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_ints
from tapeflow.ops.image.arguments import read_images
from tapeflow.ops.image.color import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from tapeflow.ops.image.jpeg import adjust_jpeg_quality
from tapeflow.ops.random import kernel as random_kernel
from tapeflow.ops.random.draw import Key, draw_uniform

lax = jax.lax


@op(name="RandomFlipImages", same_dtype=False)
def _flip_op(images: jax.Array, key: jax.Array, *, axis: int) -> jax.Array:
    """Each image mirrored along an axis, or not."""
    shape = (*images.shape[:-3], 1, 1, 1)
    is_flipped = random_kernel.bits(key, shape=shape, dtype=jnp.uint32) >> jnp.uint32(31) == 1
    return jnp.where(is_flipped, jnp.flip(images, axis), images)


@op(name="RandomCrop", same_dtype=False)
def _crop_op(value: jax.Array, key: jax.Array, *, size: tuple[int, ...]) -> jax.Array:
    """A part of a size, beginning anywhere that leaves room for it."""
    room = np.array(value.shape, np.int64) - np.array(size, np.int64) + 1
    words = random_kernel.bits(key, shape=(len(size),), dtype=jnp.uint32).astype(jnp.int64)
    begin = jnp.mod(words, jnp.asarray(room))
    return lax.dynamic_slice(value, [begin[i] for i in range(len(size))], size)


def _range(where: str, lower: float, upper: float) -> None:
    if upper <= lower or lower < 0:
        raise ValueError(
            f"{where} expected 0 <= lower < upper: upper must be > lower and lower must be non-negative; got "
            f"lower={lower}, upper={upper}."
        )


def _delta(where: str, max_delta: float, most: float = float("inf")) -> None:
    if not 0 <= max_delta <= most:
        limit = "" if most == float("inf") else f" and max_delta must be <= {most}"
        raise ValueError(
            f"{where} expected max_delta of at least 0: max_delta must be non-negative{limit}; got "
            f"max_delta={max_delta}."
        )


def _uniform(where: str, key: Key, low: float, high: float) -> Tensor:
    return draw_uniform(where, key, (), low, high, float32)


def _cropped(where: str, value: object, size: Any, key: Key) -> Tensor:
    tensor = convert_to_tensor(value)
    wanted = read_ints(size, where, "size")
    shape = tensor.spec.shape
    if len(wanted) != len(shape) or any(w > n or w < 0 for w, n in zip(wanted, shape, strict=True)):
        raise invalid(
            f"{where} expected a size for each axis, at most as large as it: Need value.shape >= size; got "
            f"size={list(wanted)} for a value of shape {list(shape)}."
        )
    return _crop_op(tensor, key(), size=wanted)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Each image mirrored left to right with a chance of one half."""
    return _flip_op(read_images("tf.image.random_flip_left_right", image), next_key(seed), axis=-2)


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """`random_flip_left_right`, decided by `seed`, two integers, alone."""
    where = "tf.image.stateless_random_flip_left_right"
    return _flip_op(read_images(where, image), stateless_key(seed), axis=-2)


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Each image mirrored top to bottom with a chance of one half."""
    return _flip_op(read_images("tf.image.random_flip_up_down", image), next_key(seed), axis=-3)


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """`random_flip_up_down`, decided by `seed`, two integers, alone."""
    where = "tf.image.stateless_random_flip_up_down"
    return _flip_op(read_images(where, image), stateless_key(seed), axis=-3)


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Images with one number in `[-max_delta, max_delta)` added to every pixel."""
    where = "tf.image.random_brightness"
    _delta(where, max_delta)
    return adjust_brightness(image, _uniform(where, lambda: next_key(seed), -max_delta, max_delta))


def stateless_random_brightness(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """`random_brightness`, decided by `seed`, two integers, alone."""
    where = "tf.image.stateless_random_brightness"
    _delta(where, max_delta)
    return adjust_brightness(image, _uniform(where, lambda: stateless_key(seed), -max_delta, max_delta))


def random_contrast(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Images with their contrast times a number in `[lower, upper)`."""
    where = "tf.image.random_contrast"
    _range(where, lower, upper)
    return adjust_contrast(image, _uniform(where, lambda: next_key(seed), lower, upper))


def stateless_random_contrast(image: TensorLike, lower: float, upper: float, seed: TensorLike) -> Tensor:
    """`random_contrast`, decided by `seed`, two integers, alone."""
    where = "tf.image.stateless_random_contrast"
    _range(where, lower, upper)
    return adjust_contrast(image, _uniform(where, lambda: stateless_key(seed), lower, upper))


def random_saturation(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """RGB images with their saturation times a number in `[lower, upper)`."""
    where = "tf.image.random_saturation"
    _range(where, lower, upper)
    return adjust_saturation(image, _uniform(where, lambda: next_key(seed), lower, upper))


def stateless_random_saturation(
    image: TensorLike, lower: float, upper: float, seed: int | Sequence[int] | None = None
) -> Tensor:
    """`random_saturation`, decided by `seed`, two integers, alone."""
    where = "tf.image.stateless_random_saturation"
    _range(where, lower, upper)
    return adjust_saturation(image, _uniform(where, lambda: stateless_key(seed), lower, upper))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """RGB images with their hue turned by a share in `[-max_delta, max_delta)` of the circle."""
    where = "tf.image.random_hue"
    _delta(where, max_delta, 0.5)
    return adjust_hue(image, _uniform(where, lambda: next_key(seed), -max_delta, max_delta))


def stateless_random_hue(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """`random_hue`, decided by `seed`, two integers, alone."""
    where = "tf.image.stateless_random_hue"
    _delta(where, max_delta, 0.5)
    return adjust_hue(image, _uniform(where, lambda: stateless_key(seed), -max_delta, max_delta))


def _quality(where: str, key: Key, low: int, high: int) -> Tensor:
    if not 0 <= low < high <= 100:
        raise ValueError(
            f"{where} expected 0 <= min_jpeg_quality < max_jpeg_quality <= 100: jpeg encoding range must be between "
            f"0 and 100; got {low} and {high}."
        )
    return draw_uniform(where, key, (), low, high, int32)


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """An image after JPEG compression of a quality in `[min, max)`."""
    where = "tf.image.random_jpeg_quality"
    quality = _quality(where, lambda: next_key(seed), min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, quality)


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """`random_jpeg_quality`, decided by `seed`, two integers, alone."""
    where = "tf.image.stateless_random_jpeg_quality"
    quality = _quality(where, lambda: stateless_key(seed), min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, quality)


def random_crop(
    value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A part of a tensor, of a size and beginning at random."""
    return _cropped("tf.image.random_crop", value, size, lambda: next_key(seed))


def stateless_random_crop(
    value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None
) -> Tensor:
    """`random_crop`, decided by `seed`, two integers, alone."""
    return _cropped("tf.image.stateless_random_crop", value, size, lambda: stateless_key(seed))
