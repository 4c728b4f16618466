"""Max and average pooling as slices and reshapes, over any number of spatial axes.

XLA differentiates a max-pool by `select_and_scatter`, which on a CPU takes twenty times as long as the
pooling. Here the derivative is written by hand: which tap of each window won is kept as a number, and
the gradient goes to that tap. Among equals the first one wins, as in TensorFlow.
Arrays are `(batch, *spatial, channels)`.
"""

from __future__ import annotations

from functools import partial, reduce
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tapeflow.engine.shapes.expression import is_symbolic
from tapeflow.ops.nn.conv.blocks import map_blocks
from tapeflow.ops.nn.conv.devices import on_rows
from tapeflow.ops.nn.window import Window


def pool_max(window: Window, x: Array) -> Array:
    """The largest value each window sees; cells of padding are smaller than any value."""
    return _pool_max(window, x) if x.size and 0 not in window.output else _empty(window, x)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _pool_max(window: Window, x: Array) -> Array:
    if _tiles(window):
        return jnp.max(_tiled(window, x, _lowest(x)), axis=_inner_axes(window))
    return reduce(jnp.maximum, _taps(window, x, _lowest(x)))


@_pool_max.defjvp
def _pool_max_jvp(
    window: Window, primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    (x,), (dx,) = primals, tangents
    # A loop over two halves: without one, XLA works the winners out again wherever they are used.
    contest, rows = partial(_contest, window), x.shape[0]
    if is_symbolic(rows):
        y, winner = contest(x)
    else:
        y, winner = on_rows(lambda x: map_blocks(contest, x, max(1, x.shape[0] // 2)), (x,), (True,))
    zero = jnp.zeros((), dx.dtype)
    if _tiles(window):
        inner = _inner_axes(window)
        is_winner = jnp.expand_dims(winner, inner) == _tap_numbers(window)
        return y, jnp.sum(jnp.where(is_winner, _tiled(window, dx, zero), zero), axis=inner)
    seen = _taps(window, dx, zero)
    terms = [jnp.where(winner == number, t, zero) for number, t in enumerate(seen)]
    return y, reduce(jnp.add, terms)


def _contest(window: Window, x: Array) -> tuple[Array, Array]:
    """The largest value each window sees, and the number of the tap that saw it first."""
    seen = _taps(window, x, _lowest(x))
    best = seen[0]
    winner = jnp.zeros(best.shape, jnp.int32)
    for number, challenger in enumerate(seen[1:], start=1):
        is_larger = challenger > best
        best = jnp.where(is_larger, challenger, best)
        winner = jnp.where(is_larger, jnp.int32(number), winner)
    # Not `best`, which a NaN never gets to be: a NaN in the window is its maximum.
    return reduce(jnp.maximum, seen), winner


def pool_mean(window: Window, x: Array) -> Array:
    """The mean of what each window sees, padding left out; half precision is summed in float32."""
    if not x.size or 0 in window.output:
        return _empty(window, x)
    dtype = x.dtype
    wide = x.astype(jnp.float32) if dtype.itemsize < 4 else x
    zero = jnp.zeros((), wide.dtype)
    if _tiles(window):
        total = jnp.sum(_tiled(window, wide, zero), axis=_inner_axes(window))
    else:
        total = reduce(jnp.add, _taps(window, wide, zero))
    return (total / jnp.asarray(_counts(window), wide.dtype)).astype(dtype)


def _empty(window: Window, x: Array) -> Array:
    return jnp.zeros((x.shape[0], *window.output, x.shape[-1]), x.dtype)


def _counts(window: Window) -> Any:
    """How many cells that are not padding each window sees."""
    counts: Any = np.ones((1,) * (len(window.input) + 2))
    for axis, cells in enumerate(window.input):
        xp = jnp if is_symbolic(window.output[axis]) or is_symbolic(window.padding[axis][0]) else np
        places = xp.arange(window.output[axis]) * window.strides[axis]
        taps = np.arange(window.size[axis])
        seen = places[:, None] + taps * window.dilations[axis] - window.padding[axis][0]
        along = ((seen >= 0) & (seen < cells)).sum(1)
        counts = counts * along.reshape([-1 if d == axis + 1 else 1 for d in range(counts.ndim)])
    return counts


def _lowest(x: Array) -> Array:
    if jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.asarray(-jnp.inf, x.dtype)
    return jnp.asarray(jnp.iinfo(x.dtype).min, x.dtype)


def _tiles(window: Window) -> bool:
    """Whether windows lie side by side, so that a reshape finds them."""
    return window.strides == window.size and all(d == 1 for d in window.dilations)


def _inner_axes(window: Window) -> tuple[int, ...]:
    """The axes within a window, in a tiled array."""
    return tuple(2 * axis + 2 for axis in range(len(window.size)))


def _tap_numbers(window: Window) -> Array:
    """The taps counted row by row, in the shape of one window of a tiled array.

    Computed, not stored: a loop that reads them from memory is not vectorised.
    """
    shape = [1]
    for size in window.size:
        shape += [1, size]
    shape.append(1)
    numbers = jnp.zeros((), jnp.int32)
    for axis, size in zip(_inner_axes(window), window.size, strict=True):
        numbers = numbers * size + lax.broadcasted_iota(jnp.int32, shape, axis)
    return numbers


def _tiled(window: Window, x: Array, fill: Array) -> Array:
    """`x` with each spatial axis made two: places, and cells within the window."""
    shape = [x.shape[0]]
    for places, size in zip(window.output, window.size, strict=True):
        shape += [places, size]
    return _padded(window, x, fill).reshape(*shape, x.shape[-1])


def _padded(window: Window, x: Array, fill: Array) -> Array:
    """`x` with the window's padding, and without the cells at the end that no window sees."""
    config = [(0, 0, 0)]
    for axis, (low, _) in enumerate(window.padding):
        reach = (window.output[axis] - 1) * window.strides[axis] + window.extent[axis]
        config.append((low, reach - low - window.input[axis], 0))
    return lax.pad(x, fill, [*config, (0, 0, 0)])


def _taps(window: Window, x: Array, fill: Array) -> list[Array]:
    """What each tap sees at every place, row by row."""
    padded = _padded(window, x, fill)
    found = []
    for numbers in product(*map(range, window.size)):
        starts = [n * d for n, d in zip(numbers, window.dilations, strict=True)]
        limits = [
            start + (places - 1) * stride + 1
            for start, places, stride in zip(starts, window.output, window.strides, strict=True)
        ]
        found.append(
            lax.slice(
                padded,
                (0, *starts, 0),
                (x.shape[0], *limits, x.shape[-1]),
                (1, *window.strides, 1),
            )
        )
    return found
