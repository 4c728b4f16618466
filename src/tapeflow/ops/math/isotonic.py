"""`tf.nn.isotonic_regression`: the nearest vector whose elements are in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import REAL
from tapeflow.ops.host_args import read_axis

lax = jax.lax


def _blocks(x: jax.Array) -> jax.Array:
    """The number of the block of equal outputs that each element of a vector is in; the outputs fall.

    Neighbours that are out of order are put together until none is left, on a stack of blocks.
    """
    size = x.shape[0]

    def add(i: Any, stack: Any) -> Any:
        def is_out_of_order(stack: Any) -> Any:
            top, sums, counts, _ = stack
            return (top > 0) & (sums[top - 1] * counts[top] < sums[top] * counts[top - 1])

        def merged(stack: Any) -> Any:
            top, sums, counts, starts = stack
            return (
                top - 1,
                sums.at[top - 1].add(sums[top]),
                counts.at[top - 1].add(counts[top]),
                starts,
            )

        top, sums, counts, starts = stack
        top = top + 1
        pushed = (top, sums.at[top].set(x[i]), counts.at[top].set(1), starts.at[top].set(i))
        return lax.while_loop(is_out_of_order, merged, pushed)

    empty = jnp.zeros(size, x.dtype)
    start = (jnp.int32(-1), empty, empty, jnp.full(size, size, jnp.int32))
    top, _, _, starts = lax.fori_loop(0, size, add, start)
    is_used = jnp.arange(size, dtype=jnp.int32) <= top
    begins = jnp.zeros(size, jnp.int32).at[jnp.where(is_used, starts, size)].set(1, mode="drop")
    return jnp.cumsum(begins, dtype=jnp.int32) - 1


@op(name="IsotonicRegression", same_dtype=False)
def _isotonic_op(x: jax.Array, *, decreasing: bool, axis: int) -> Any:
    REAL.check("tf.nn.isotonic_regression", inputs=x)
    x = jnp.swapaxes(x, axis, -1)
    x = x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(jnp.float64)
    rows = x.reshape(-1, x.shape[-1])
    if not x.size:
        return jnp.swapaxes(x, axis, -1), jnp.zeros(jnp.swapaxes(x, axis, -1).shape, jnp.int32)
    blocks = jax.vmap(_blocks)(lax.stop_gradient(rows if decreasing else -rows))

    def means(row: Any, block: Any) -> Any:
        total = jnp.zeros_like(row).at[block].add(row)
        count = jnp.zeros_like(row).at[block].add(1)
        return (total / jnp.maximum(count, 1))[block]

    found = jax.vmap(means)(rows, blocks), blocks
    return tuple(jnp.swapaxes(f.reshape(x.shape), axis, -1) for f in found)


def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: int | Sequence[int] = -1
) -> tuple[Tensor, Tensor]:
    """The nearest tensor, by squares, whose elements fall along an axis, or rise.

    Returns:
        That tensor, and the number of the block of equal elements that each is in; a block is the mean of its inputs,
        and so the gradient of each is shared by all of the block.

    >>> tf.nn.isotonic_regression(tf.constant([3.0, 1.0, 2.0]))[0].numpy().tolist()
    [3.0, 1.5, 1.5]
    """
    tensor = convert_to_tensor(inputs)
    at = read_axis(axis, tensor.ndim, "tf.nn.isotonic_regression")
    return _isotonic_op(tensor, decreasing=bool(decreasing), axis=at)
