"""Making arrays larger by whole factors along some axes: by repeating, or by mixing neighbours.

Both are linear. Repeating is a broadcast, whose gradient is a sum; mixing is a product with a small matrix.
Neither gathers, which would make the gradient a scatter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.shapes.expression import Size, has_symbols

Factors = tuple[tuple[int, int], ...]
Kernel = Callable[[Any, Any], Any]
"""How much an element counts, given the module of its arrays and how far away it is."""


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


def _weights(size: Size, factor: int, kernel: Kernel) -> Any:
    """How much of each of `size` cells goes into each of `size * factor`, with cells as little squares."""
    xp = array_module(size)
    centres = (xp.arange(size * factor) + 0.5) / factor - 0.5
    weights = kernel(xp, xp.abs(centres[:, None] - xp.arange(size)))
    return weights / weights.sum(1, keepdims=True)


def array_module(*sizes: Size) -> Any:
    """NumPy, whose results are constants of the program; JAX's if a size is known only when the program runs."""
    return jnp if has_symbols(sizes) else np


def _triangle(xp: Any, x: Any) -> Any:
    return xp.maximum(0, 1 - x)


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Kernel:
    """A kernel made of a cubic below 1 and one from there to 2, highest power first."""

    def kernel(xp: Any, x: Any) -> Any:
        return xp.where(
            x < 1, xp.polyval(np.array(near), x), xp.where(x < 2, xp.polyval(np.array(far), x), 0)
        )

    return kernel


def _lanczos(radius: int) -> Kernel:
    return lambda xp, x: xp.where(x < radius, xp.sinc(x) * xp.sinc(x / radius), 0)


def _gaussian(xp: Any, x: Any) -> Any:
    radius, sigma = 1.5, 0.5
    return xp.where(x < radius, xp.exp(-(x**2) / (2 * sigma**2)), 0) / (math.sqrt(2 * math.pi) * sigma)


METHODS: dict[str, Kernel] = {
    "bilinear": _triangle,
    "bicubic": _cubic((1.5, -2.5, 0.0, 1.0), (-0.5, 2.5, -4.0, 2.0)),
    "mitchellcubic": _cubic((7 / 6, -2.0, 0.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9)),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": _gaussian,
}
