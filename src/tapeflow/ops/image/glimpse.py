"""`tf.image.extract_glimpse`: windows of images, noise where they reach beyond the edge."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.random import next_key
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, read_ints
from tapeflow.ops.random import kernel as random_kernel

_NOISES = ("uniform", "gaussian", "zero")


@op(name="ExtractGlimpse", same_dtype=False)
def _glimpse_op(
    images: jax.Array,
    offsets: jax.Array,
    key: jax.Array,
    *,
    size: tuple[int, ...],
    centered: bool,
    normalized: bool,
    noise: str,
) -> jax.Array:
    whole = jnp.asarray(images.shape[1:3], jnp.float32)
    window = jnp.asarray(size, jnp.float32)
    at = offsets * whole if normalized else offsets
    if centered:
        at = at / 2 + whole / 2 - window / 2 if normalized else at + whole / 2
    corner = jax.lax.stop_gradient(jnp.trunc(at)).astype(jnp.int32)
    rows, columns = (corner[:, i, None] + jnp.arange(size[i], dtype=jnp.int32) for i in (0, 1))
    height, width = images.shape[1:3]
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[:, None, :]
    batch = jnp.arange(images.shape[0], dtype=jnp.int32)[:, None, None]
    taken = images[
        batch, jnp.clip(rows, 0, height - 1)[:, :, None], jnp.clip(columns, 0, width - 1)[:, None, :]
    ]
    return jnp.where(inside[..., None], taken, _noise(images, key, taken.shape, noise))


def _noise(images: jax.Array, key: jax.Array, shape: tuple[int, ...], noise: str) -> jax.Array:
    """Numbers spread as those of the images."""
    still = jax.lax.stop_gradient(images)
    if noise == "zero" or not images.size:
        return jnp.zeros(shape, images.dtype)
    if noise == "uniform":
        return random_kernel.uniform(key, jnp.min(still), jnp.max(still), shape=shape, dtype=images.dtype)
    drawn = random_kernel.normal(key, shape=shape, dtype=images.dtype)
    return drawn * jnp.std(still) + jnp.mean(still)


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """A window of each image.

    Args:
        input: images, shape (batch, height, width, channels), float32.
        size: the height and width of the windows.
        offsets: where they are, y and x for each image.
        centered: offsets are of the middle of the window from the middle of the image; otherwise of its upper left
            corner.
        normalized: an image reaches from -1 to 1, or if not centered from 0 to 1; otherwise offsets are in pixels, and
            of the corner of the window.
        noise: what lies beyond the edge: 'uniform' or 'gaussian' noise, or 'zero'.
    """
    where = "tf.image.extract_glimpse"
    images, places = convert_to_tensor(input, float32), convert_to_tensor(offsets, float32)
    wanted = read_ints(size, where, "size")
    if (
        images.ndim != 4
        or len(wanted) != 2
        or min(wanted) < 1
        or places.spec.shape != (images.spec.shape[0], 2)
    ):
        raise invalid(
            f"{where} expected images of shape [batch, height, width, channels], a size of two numbers above 0 and "
            f"offsets of shape [batch, 2]; got input {describe(images)}, size={list(wanted)}, offsets "
            f"{describe(places)}."
        )
    if noise not in _NOISES:
        raise invalid(f"{where} expected noise to be one of {', '.join(_NOISES)}; got noise={noise!r}.")
    return _glimpse_op(
        images,
        places,
        next_key(None),
        size=wanted,
        centered=bool(centered),
        normalized=bool(normalized),
        noise=noise,
    )
