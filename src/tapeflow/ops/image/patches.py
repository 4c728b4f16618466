"""Windows of images and volumes as rows of their pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.shapes.expression import at_least, is_symbolic
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, read_ints

Ints = tuple[int, ...]


@op(name="ExtractPatches")
def _patches_op(x: jax.Array, *, sizes: Ints, strides: Ints, rates: Ints, padding: str) -> jax.Array:
    """Windows over the axes between the first and the last, their elements in the order of the axes."""
    rank = len(sizes)
    for i, (size, stride, rate) in enumerate(zip(sizes, strides, rates, strict=True)):
        axis = 1 + 2 * i  # each axis before has become two: which window, and where in it
        length, reach = x.shape[axis], (size - 1) * rate + 1
        if padding == "SAME":
            count = -(-length // stride)
            before = at_least((count - 1) * stride + reach - length, 0) // 2
            width = [(0, 0)] * x.ndim
            width[axis] = (reach, reach)  # at least as much as the first window and the last one need
            x = jnp.pad(x, width)
            first = reach - before
        else:
            count, first = at_least(-(-(length - reach + 1) // stride), 0), 0
        starts = (jnp if is_symbolic(count) else np).arange(count, dtype=np.int32) * stride + first
        x = jnp.take(x, starts[:, None] + np.arange(size, dtype=np.int32) * rate, axis=axis)
    windows = [1 + 2 * i for i in range(rank)]
    inside = [2 + 2 * i for i in range(rank)]
    ordered = jnp.transpose(x, (0, *windows, *inside, x.ndim - 1))
    return ordered.reshape((*ordered.shape[: rank + 1], -1))


def _read(where: str, name: str, value: object, rank: int) -> Ints:
    found = read_ints(value, where, name)
    if len(found) != rank + 2 or found[0] != 1 or found[-1] != 1 or min(found) < 1:
        raise invalid(
            f"{where} expected {name} of {rank + 2} numbers of at least 1, the first and the last being 1; got "
            f"{name}={list(found)}."
        )
    return found[1:-1]


def _patches(
    where: str,
    x: TensorLike,
    sizes: Any,
    strides: int | Sequence[int],
    rates: int | Sequence[int],
    padding: str,
    rank: int,
) -> Tensor:
    tensor = convert_to_tensor(x)
    if tensor.ndim != rank + 2:
        raise invalid(
            f"{where} expected a tensor of {rank + 2} dimensions, batch first and channels last; got one "
            f"{describe(tensor)}."
        )
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"{where} expected padding to be 'SAME' or 'VALID'; got padding={padding!r}.")
    return _patches_op(
        tensor,
        sizes=_read(where, "sizes", sizes, rank),
        strides=_read(where, "strides", strides, rank),
        rates=_read(where, "rates", rates, rank),
        padding=padding,
    )


def extract_patches(
    images: TensorLike,
    sizes: Any,
    strides: int | Sequence[int],
    rates: int | Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Windows of images, each flattened to the channels of one pixel.

    Args:
        images: a batch of images.
        sizes: `[1, rows, columns, 1]` of a window.
        strides: `[1, down, right, 1]` from one window to the next.
        rates: `[1, down, right, 1]` between the pixels of a window.
        padding: "VALID", or "SAME" for zeros around.
    """
    return _patches("tf.image.extract_patches", images, sizes, strides, rates, padding, 2)


def extract_volume_patches(
    input: TensorLike,
    ksizes: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Windows of volumes, each flattened to the channels of one cell; see `tf.image.extract_patches`."""
    return _patches("tf.extract_volume_patches", input, ksizes, strides, [1] * 5, padding, 3)
