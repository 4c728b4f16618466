"""Images in another size: every method but the nearest pixel is a product with a matrix for each axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jnp
from tapeflow.engine.op import op
from tapeflow.ops.enlarging import METHODS

RESIZE_METHODS = ("nearest", "area", *METHODS)


@op(name="ResizeImages")
def resize_op(images: Any, *, size: tuple[int, int], method: str) -> Any:
    """Images (..., height, width, channels) brought to a size, as `tf.image.resize` without antialiasing."""
    for axis, new in zip((-3, -2), size, strict=True):
        old = images.shape[axis]
        if method == "nearest":
            places = np.minimum(np.floor((np.arange(new) + 0.5) * (old / new)), old - 1).astype("int32")
            images = jnp.take(images, places, axis=axis)
        elif new != old:
            weights = jnp.asarray(
                _area(old, new) if method == "area" else _mixed(old, new, method), images.dtype
            )
            images = jnp.moveaxis(jnp.tensordot(images, weights, ((axis,), (1,))), -1, axis)
    return images


def _mixed(old: int, new: int, method: str) -> np.ndarray:
    """How much of each old pixel goes into each new one, by the distance of their centres."""
    centres = (np.arange(new) + 0.5) * (old / new) - 0.5
    weights = METHODS[method](np.abs(centres[:, None] - np.arange(old)))
    return weights / weights.sum(1, keepdims=True)


def _area(old: int, new: int) -> np.ndarray:
    """How much of each old pixel lies within each new one."""
    edges = np.arange(new + 1) * (old / new)
    pixels = np.arange(old)
    overlap = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    weights = np.maximum(overlap, 0)
    return weights / weights.sum(1, keepdims=True)
