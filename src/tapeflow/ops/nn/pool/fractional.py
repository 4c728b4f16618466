"""Pooling by a fraction: windows of two sizes, in an order drawn at random, so that 1.5 rows become one on average."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.random import next_key
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import REAL
from tapeflow.ops.host_args import describe, invalid


class FractionalPool(NamedTuple):
    """What the pooling gives: the values, and where the windows begin, with the end as the last."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


def _sequence(key: jax.Array, size: int, count: int, pseudo_random: bool) -> jax.Array:
    """Where `count` windows over `size` cells begin, each of them the ratio rounded down or up."""
    small = size // count
    if pseudo_random:
        # Steps of an even ratio from a random start, rounded: the ends stay where they are.
        ratio = size / count
        largest = (size + 1) / ratio - (count - 1)
        shift = jax.random.uniform(key, (), jnp.float64) * (min(largest, 1.0) - 1e-9)
        base = jnp.floor(ratio * shift)
        steps = jnp.floor(ratio * (jnp.arange(count + 1, dtype=jnp.float64) + shift)) - base
        found = steps.astype(jnp.int64)
    else:
        is_large = jnp.arange(count) < size - small * count
        lengths = small + jax.random.permutation(key, is_large.astype(jnp.int64))
        found = jnp.concatenate([jnp.zeros(1, jnp.int64), jnp.cumsum(lengths)])
    return found.at[-1].set(size)


def _windows(x: jax.Array, axis: int, starts: Any, reach: int, overlapping: bool) -> tuple[Any, Any]:
    """Along an axis the cells of each window, as one axis more, and which of them belong to it."""
    ends = starts[1:] + (1 if overlapping else 0)
    ends = jnp.minimum(ends, x.shape[axis])
    cells = starts[:-1, None] + jnp.arange(reach)
    return jnp.take(x, jnp.minimum(cells, x.shape[axis] - 1), axis), cells < ends[:, None]


@op(name="FractionalPool", same_dtype=False)
def _pool_op(
    x: jax.Array,
    key: jax.Array,
    *,
    rows: int,
    columns: int,
    is_max: bool,
    pseudo_random: bool,
    overlapping: bool,
) -> Any:
    REAL.check("tf.nn.fractional_pool", value=x)
    keys = jax.random.split(jax.random.wrap_key_data(key, impl="threefry2x32"))
    sizes = x.shape[1:3]
    starts = [_sequence(k, n, c, pseudo_random) for k, n, c in zip(keys, sizes, (rows, columns), strict=True)]
    reach = [-(-n // c) + 1 + overlapping for n, c in zip(sizes, (rows, columns), strict=True)]
    cells, in_row = _windows(x, 1, starts[0], reach[0], overlapping)
    cells, in_column = _windows(cells, 3, starts[1], reach[1], overlapping)
    inside = in_row[:, :, None, None] & in_column[None, None]  # rows, reach, columns, reach
    inside = inside[None, ..., None]
    if is_max:
        info: Any = jnp.finfo if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo
        found = jnp.max(jnp.where(inside, cells, info(x.dtype).min), (2, 4))
    else:
        total = jnp.sum(jnp.where(inside, cells, 0), (2, 4), dtype=x.dtype)
        count = jnp.sum(inside, (2, 4), dtype=x.dtype)
        found = total / count if jnp.issubdtype(x.dtype, jnp.floating) else total // count
    return found, starts[0], starts[1]


def _pooled(
    where: str, value: object, ratio: Any, pseudo_random: bool, overlapping: bool, seed: int, is_max: bool
) -> FractionalPool:
    images = convert_to_tensor(value)
    if images.ndim != 4:
        raise invalid(
            f"{where} expected value of shape [batch, height, width, channels]; got {describe(images)}."
        )
    ratios = np.asarray(ratio, float).reshape(-1).tolist()
    if len(ratios) == 1:
        ratios = [1.0, *ratios * 2, 1.0]
    if len(ratios) != 4 or min(ratios) < 1 or ratios[0] != 1 or ratios[3] != 1:
        raise ValueError(
            f"{where} expected pooling_ratio of at least 1, one number, or four of which the first and last "
            f"are 1: `pooling_ratio` should be >= 1.0; got pooling_ratio={ratio!r}."
        )
    rows, columns = (int(n / r) for n, r in zip(images.spec.shape[1:3], ratios[1:3], strict=True))
    if min(rows, columns) < 1:
        raise invalid(
            f"{where} expected pooling_ratio to leave at least one cell; got pooling_ratio={ratio!r} for images "
            f"{describe(images)}."
        )
    return FractionalPool(
        *_pool_op(
            images,
            next_key(seed or None),
            rows=rows,
            columns=columns,
            is_max=is_max,
            pseudo_random=bool(pseudo_random),
            overlapping=bool(overlapping),
        )
    )


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """Max pooling with windows of varying size whose average ratio is fractional, such as 1.44.

    Args:
        value: images, channels last.
        pooling_ratio: one number, or four: 1, one for the rows, one for the columns, and 1.
        pseudo_random: windows spread evenly from a random start, instead of in a random order.
        overlapping: a window takes the first cell of the next as well.
        seed: not 0 for numbers of its own.
    """
    where = "tf.nn.fractional_max_pool"
    return _pooled(where, value, pooling_ratio, pseudo_random, overlapping, seed, True)


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """The mean of each window. See `fractional_max_pool`."""
    where = "tf.nn.fractional_avg_pool"
    return _pooled(where, value, pooling_ratio, pseudo_random, overlapping, seed, False)
