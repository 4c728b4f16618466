"""Matrix products in the order of operands that is fast on a CPU, and gradients of weights made of them.

Every gradient of a weight is a product `a^T b`, summed over the rows of both. XLA's CPU product of that form runs at
full speed when the result has more columns than rows, and at a third to two thirds of it otherwise. So a tall result
is computed as `(b^T a)^T`. The second transpose is a copy, worth it where there are enough rows to sum over.

A product of many rows with few inputs is a sum of scaled columns: XLA's takes up to 28 times as long.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from tapeflow.engine.shapes.expression import has_symbols

_FEWEST_ROWS = 128
# A larger result is transposed outside of the cache, which costs more than is gained.
_MOST_NUMBERS = 1 << 19
# Up to so many inputs, adding up scaled columns is no slower than a product.
_FEW_INPUTS = 4


def project(x: Array, kernel: Array) -> Array:
    """`x @ kernel`, with any number of axes before the last of `x`."""
    is_plain = has_symbols((*x.shape, *kernel.shape)) or math.prod(x.shape[:-1]) < _FEWEST_ROWS
    if is_plain or x.dtype != kernel.dtype or not jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.matmul(x, kernel, preferred_element_type=x.dtype)
    return _project(x, kernel)


@jax.custom_vjp
def _project(x: Array, kernel: Array) -> Array:
    return jnp.matmul(x, kernel)


def _project_forward(x: Array, kernel: Array) -> tuple[Array, Any]:
    return jnp.matmul(x, kernel), (x, kernel)


def _project_backward(kept: tuple[jax.Array, jax.Array], dy: Array) -> tuple[Array, Array]:
    """As matrices: with more axes XLA copies `x` and `dy` in another order before it multiplies them."""
    x, kernel = kept
    return jnp.matmul(dy, kernel.T), _of_rows(x.reshape(-1, x.shape[-1]), dy.reshape(-1, dy.shape[-1]))


_project.defvjp(_project_forward, _project_backward)


def _of_rows(a: Array, b: Array) -> Array:
    """`a^T b` on whichever device it is compiled for."""
    if not _is_swapped(a.shape[0], a.shape[1], b.shape[1]):
        return jnp.dot(a.T, b)
    return lax.platform_dependent(a, b, cpu=dot_transposed, default=lambda a, b: jnp.dot(a.T, b))


def dot_transposed(a: Array, b: Array) -> Array:
    """`a^T b` of two matrices, for kernels that run on a CPU."""
    if not _is_swapped(a.shape[0], a.shape[1], b.shape[1]):
        return jnp.dot(a.T, b)
    # Without the barrier XLA would turn the two transposes into the product that we avoid.
    return lax.optimization_barrier(jnp.dot(b.T, a)).T


def dot_inputs(x: Array, kernel: Array) -> Array:
    """`x @ kernel` of two matrices, the first one of many rows, for kernels that run on a CPU."""
    inputs = kernel.shape[0]
    if inputs > _FEW_INPUTS:
        return jnp.dot(x, kernel)
    return reduce(jnp.add, [x[:, number, None] * kernel[number] for number in range(inputs)])


def _is_swapped(rows: int, height: int, width: int) -> bool:
    """Whether `a^T b`, of shape `(height, width)`, is better computed as `(b^T a)^T`."""
    return height > width and rows >= max(_FEWEST_ROWS, width // 2) and height * width <= _MOST_NUMBERS
