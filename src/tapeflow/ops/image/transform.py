"""Images moved, turned and zoomed: each output pixel is read at a place that a matrix gives.

A matrix is `[a, b, c, d, e, f]`: the output pixel (x, y) is read at (a x + b y + c, d x + e y + f), as in
TensorFlow's ImageProjectiveTransform; two more numbers, `g, h`, divide both by g x + h y + 1. What
lies outside is filled as `fill_mode` says.
"""

from __future__ import annotations

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.ops.random import kernel as random_kernel

lax = jax.lax


@op(name="RandomFlip", same_dtype=False)
def random_flip_op(images: jax.Array, key: jax.Array, *, axes: tuple[int, ...]) -> jax.Array:
    """Each image of a batch mirrored, or not, along each of `axes`."""
    words = random_kernel.bits(key, shape=(len(axes), images.shape[0], 1, 1, 1), dtype=jnp.uint32)
    for word, axis in zip(words, axes, strict=True):
        images = jnp.where(word >> jnp.uint32(31) == 1, jnp.flip(images, axis), images)
    return images


@op(name="RotationMatrix")
def rotation_matrix_op(angles: jax.Array, *, height: int, width: int) -> jax.Array:
    """Matrices that turn images of a size about their centre."""
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    x, y = (width - 1) / 2, (height - 1) / 2
    return jnp.stack([cos, -sin, x - (cos * x - sin * y), sin, cos, y - (sin * x + cos * y)], 1)


@op(name="ZoomMatrix")
def zoom_matrix_op(wide: jax.Array, high: jax.Array, *, height: int, width: int) -> jax.Array:
    """Matrices that shrink images of a size by factors, about their centre."""
    zero = jnp.zeros_like(wide)
    x, y = (width - 1) / 2 * (1 - wide), (height - 1) / 2 * (1 - high)
    return jnp.stack([wide, zero, x, zero, high, y], 1)


@op(name="TranslationMatrix")
def translation_matrix_op(right: jax.Array, down: jax.Array, *, height: int, width: int) -> jax.Array:
    """Matrices that move images by shares of their size."""
    zero, one = jnp.zeros_like(right), jnp.ones_like(right)
    return jnp.stack([one, zero, -right * width, zero, one, -down * height], 1)


@op(name="ImageProjectiveTransform", same_dtype=False)
def transform_op(
    images: jax.Array,
    matrices: jax.Array,
    *,
    interpolation: str,
    fill_mode: str,
    fill_value: float,
    size: tuple[int, int] | None = None,
) -> jax.Array:
    """Each image of a batch read through its matrix, at all places of a size; half precision in float32."""
    batch, height, width, channels = images.shape
    rows, columns = size or (height, width)
    y, x = jnp.meshgrid(
        jnp.arange(rows, dtype=jnp.float32), jnp.arange(columns, dtype=jnp.float32), indexing="ij"
    )
    a, b, c, d, e, f, *projection = matrices.T[:, :, None, None]
    down_at, right_at = d * x + e * y + f, a * x + b * y + c
    if projection:
        distance = projection[0] * x + projection[1] * y + 1
        down_at, right_at = down_at / distance, right_at / distance
    row = _folded(down_at, height, fill_mode)
    column = _folded(right_at, width, fill_mode)
    wide = images.astype(jnp.float32) if images.dtype in (jnp.float16, jnp.bfloat16) else images
    pixels = wide.reshape(batch, height * width, channels)

    def read(i: jax.Array, j: jax.Array) -> jax.Array:
        """The pixels at whole places, or the fill value outside."""
        is_inside = (i >= 0) & (i < height) & (j >= 0) & (j < width)
        place = jnp.clip(i, 0, height - 1) * width + jnp.clip(j, 0, width - 1)
        found = jax.vmap(lambda p, at: p.at[at].get(mode="promise_in_bounds"))(
            pixels, place.astype(jnp.int32)
        )
        return jnp.where(is_inside[..., None], found, jnp.asarray(fill_value, wide.dtype))

    if interpolation == "nearest":
        return read(_rounded(row), _rounded(column)).astype(images.dtype)
    top, left = jnp.floor(row), jnp.floor(column)
    down, right = (row - top)[..., None].astype(wide.dtype), (column - left)[..., None].astype(wide.dtype)
    upper = read(top, left) * (1 - right) + read(top, left + 1) * right
    lower = read(top + 1, left) * (1 - right) + read(top + 1, left + 1) * right
    return (upper * (1 - down) + lower * down).astype(images.dtype)


def _rounded(place: jax.Array) -> jax.Array:
    """Halves away from 0, as C rounds."""
    return jnp.sign(place) * jnp.floor(jnp.abs(place) + 0.5)


def _folded(place: jax.Array, size: int, mode: str) -> jax.Array:
    """Places outside [0, size - 1] brought inside, unless they are to be filled with a constant."""
    if mode == "constant":
        return place
    if mode == "reflect":
        turned = jnp.mod(place, 2 * size)
        place = jnp.where(turned >= size, 2 * size - turned - 1, turned)
    elif mode == "wrap":
        last = max(size - 1, 1)
        below = place + size * (jnp.trunc(-place / last) + 1)
        above = place - size * jnp.trunc(place / last)
        place = jnp.where(place < 0, below, jnp.where(place > size - 1, above, place))
    return jnp.clip(place, 0, size - 1)
