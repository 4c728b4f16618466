"""Making arrays larger by whole factors along some axes: by repeating, or by mixing neighbours.

Both are linear. Repeating is a broadcast, whose gradient is a sum; mixing is a product with a small matrix.
Neither gathers, which would make the gradient a scatter.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op

Factors = tuple[tuple[int, int], ...]


@op(name="ResizeNearestNeighbor")
def repeat_op(x: jax.Array, *, factors: Factors) -> jax.Array:
    """Every element `factor` times along `axis`, for each pair of an axis and a factor."""
    by_axis = dict(factors)
    wide, sizes, shape = [], [], []
    for axis, size in enumerate(x.shape):
        factor = by_axis.get(axis, 1)
        wide += [size, 1] if axis in by_axis else [size]
        sizes += [size, factor] if axis in by_axis else [size]
        shape.append(size * factor)
    return jnp.broadcast_to(x.reshape(wide), sizes).reshape(shape)


@op(name="ResizeMixed")
def mix_op(x: jax.Array, *, factors: Factors, method: str) -> jax.Array:
    """As many elements between each two neighbours, by a `method` of `METHODS`; half precision in float32."""
    dtype = x.dtype
    y = x.astype(jnp.float32) if dtype.itemsize < 4 else x
    for axis, factor in factors:
        weights = jnp.asarray(_weights(y.shape[axis], factor, METHODS[method]), y.dtype)
        y = jnp.moveaxis(jnp.tensordot(y, weights, ((axis,), (1,))), -1, axis)
    return y.astype(dtype)


def _weights(size: int, factor: int, kernel: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """How much of each of `size` cells goes into each of `size * factor`, with cells as little squares."""
    centres = (np.arange(size * factor) + 0.5) / factor - 0.5
    weights = kernel(np.abs(centres[:, None] - np.arange(size)))
    return weights / weights.sum(1, keepdims=True)


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(0, 1 - x)


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Callable[[np.ndarray], np.ndarray]:
    """A kernel made of a cubic below 1 and one from there to 2, highest power first."""

    def kernel(x: np.ndarray) -> np.ndarray:
        return np.where(x < 1, np.polyval(near, x), np.where(x < 2, np.polyval(far, x), 0))

    return kernel


def _lanczos(radius: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0)


def _gaussian(x: np.ndarray) -> np.ndarray:
    radius, sigma = 1.5, 0.5
    return np.where(x < radius, np.exp(-(x**2) / (2 * sigma**2)), 0) / (math.sqrt(2 * math.pi) * sigma)


METHODS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bilinear": _triangle,
    "bicubic": _cubic((1.5, -2.5, 0.0, 1.0), (-0.5, 2.5, -4.0, 2.0)),
    "mitchellcubic": _cubic((7 / 6, -2.0, 0.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9)),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": _gaussian,
}
