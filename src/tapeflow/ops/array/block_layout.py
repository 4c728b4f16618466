"""Blocks of space moved into the channels or the batch, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import constant, convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, read_array, read_int, read_ints

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


@op(name="SpaceToDepth")
def _to_depth_op(x: jax.Array, *, block: int, first: bool) -> jax.Array:
    x = jnp.moveaxis(x, 1, -1) if first else x
    batch, height, width, depth = x.shape
    x = x.reshape(batch, height // block, block, width // block, block, depth).transpose(0, 1, 3, 2, 4, 5)
    x = x.reshape(batch, height // block, width // block, block * block * depth)
    return jnp.moveaxis(x, -1, 1) if first else x


@op(name="DepthToSpace")
def _to_space_op(x: jax.Array, *, block: int, first: bool) -> jax.Array:
    x = jnp.moveaxis(x, 1, -1) if first else x
    batch, height, width, depth = x.shape
    x = x.reshape(batch, height, width, block, block, depth // (block * block)).transpose(0, 1, 3, 2, 4, 5)
    x = x.reshape(batch, height * block, width * block, depth // (block * block))
    return jnp.moveaxis(x, -1, 1) if first else x


@op(name="SpaceToBatchND")
def _to_batch_op(x: jax.Array, *, block: Ints, paddings: Pairs) -> jax.Array:
    rank = len(block)
    x = jnp.pad(x, [(0, 0), *paddings] + [(0, 0)] * (x.ndim - rank - 1))
    batch, rest = x.shape[0], x.shape[rank + 1 :]
    split = [n for size, b in zip(x.shape[1:], block, strict=False) for n in (size // b, b)]
    x = x.reshape(batch, *split, *rest)
    inside = [2 + 2 * i for i in range(rank)]
    outside = [1 + 2 * i for i in range(rank)]
    x = x.transpose(*inside, 0, *outside, *range(2 * rank + 1, x.ndim))
    return x.reshape(-1, *(x.shape[rank + 1 : 2 * rank + 1]), *rest)


@op(name="BatchToSpaceND")
def _from_batch_op(x: jax.Array, *, block: Ints, crops: Pairs) -> jax.Array:
    rank = len(block)
    batch, space, rest = x.shape[0], x.shape[1 : rank + 1], x.shape[rank + 1 :]
    x = x.reshape(*block, batch // int(np.prod(block)), *space, *rest)
    order = [rank, *[a for i in range(rank) for a in (rank + 1 + i, i)], *range(2 * rank + 1, x.ndim)]
    x = x.transpose(*order).reshape(x.shape[rank], *[s * b for s, b in zip(space, block, strict=True)], *rest)
    cut = [slice(low, n - high) for (low, high), n in zip(crops, x.shape[1:], strict=False)]
    return x[(slice(None), *cut)]


def _images(where: str, input: TensorLike, data_format: str) -> tuple[Tensor, bool]:
    tensor = convert_to_tensor(input)
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"{where} expected data_format 'NHWC' or 'NCHW'; got data_format={data_format!r}.")
    if tensor.ndim != 4:
        raise invalid(f"{where} expected images of 4 dimensions; got input {describe(tensor)}.")
    return tensor, data_format == "NCHW"


def space_to_depth(
    input: TensorLike, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Images with each block of `block_size` squared pixels as the channels of one."""
    where = "tf.nn.space_to_depth"
    tensor, first = _images(where, input, data_format)
    block = read_int(block_size, where, "block_size")
    height, width = tensor.spec.shape[2:] if first else tensor.spec.shape[1:3]
    if block < 2 or height % block or width % block:
        raise invalid(
            f"{where} expected a block_size of at least 2 that divides height and width; got block_size={block} "
            f"for input {describe(tensor)}."
        )
    return _to_depth_op(tensor, block=block, first=first)


def depth_to_space(
    input: TensorLike, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The inverse of `space_to_depth`: channels spread into blocks of pixels."""
    where = "tf.nn.depth_to_space"
    tensor, first = _images(where, input, data_format)
    block = read_int(block_size, where, "block_size")
    depth = tensor.spec.shape[1 if first else 3]
    if block < 2 or depth % (block * block):
        raise invalid(
            f"{where} expected a block_size of at least 2 whose square divides the channels; got block_size={block} "
            f"for input {describe(tensor)}."
        )
    return _to_space_op(tensor, block=block, first=first)


def _pairs(where: str, value: object, name: str, rank: int) -> Pairs:
    array = read_array(value, where, name)
    if array.shape != (rank, 2) or (array.size and array.min() < 0):
        raise invalid(
            f"{where} expected {name} of shape [{rank}, 2] and at least 0: a pair for each block axis; got "
            f"{name} of shape {list(array.shape)}."
        )
    return tuple((int(low), int(high)) for low, high in array)


def space_to_batch(
    input: TensorLike, block_shape: int | Sequence[int], paddings: Any, name: str | None = None
) -> Tensor:
    """Cut space into blocks and move each position in a block into a separate batch.

    Args:
        block_shape: the size of a block along each axis after the batch.
        paddings: `[[before, after], ...]` zeros to add first.
    """
    where = "tf.space_to_batch"
    tensor = convert_to_tensor(input)
    block = read_ints(block_shape, where, "block_shape", scalar=True)
    pairs = _pairs(where, paddings, "paddings", len(block))
    sizes = [n + sum(p) for n, p in zip(tensor.spec.shape[1:], pairs, strict=False)]
    if (
        tensor.ndim < len(block) + 1
        or min(block) < 1
        or any(n % b for n, b in zip(sizes, block, strict=True))
    ):
        raise invalid(
            f"{where} expected padded axes that block_shape divides; got sizes {sizes} after padding and "
            f"block_shape={list(block)} for input {describe(tensor)}."
        )
    return _to_batch_op(tensor, block=block, paddings=pairs)


def space_to_batch_nd(
    input: TensorLike, block_shape: int | Sequence[int], paddings: Any, name: str | None = None
) -> Tensor:
    """`tf.space_to_batch` under its older name."""
    return space_to_batch(input, block_shape, paddings)


def batch_to_space(
    input: TensorLike, block_shape: int | Sequence[int], crops: Any, name: str | None = None
) -> Tensor:
    """The inverse of `space_to_batch`.

    Args:
        crops: `[[before, after], ...]` to cut off at the end.
    """
    where = "tf.batch_to_space"
    tensor = convert_to_tensor(input)
    block = read_ints(block_shape, where, "block_shape", scalar=True)
    pairs = _pairs(where, crops, "crops", len(block))
    if tensor.ndim < len(block) + 1 or min(block) < 1 or tensor.spec.shape[0] % int(np.prod(block)):
        raise invalid(
            f"{where} expected a batch that the product of block_shape divides; got block_shape={list(block)} for "
            f"input {describe(tensor)}."
        )
    return _from_batch_op(tensor, block=block, crops=pairs)


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: int | Sequence[int], base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings that make `block_shape` divide a space, and the crops that undo them."""
    where = "tf.required_space_to_batch_paddings"
    sizes, block = (
        read_array(input_shape, where, "input_shape"),
        read_array(block_shape, where, "block_shape"),
    )
    base = (
        np.zeros((len(block), 2), int)
        if base_paddings is None
        else read_array(base_paddings, where, "base_paddings")
    )
    short = -(sizes + base.sum(1)) % block
    paddings = np.stack([base[:, 0], base[:, 1] + short], 1).astype(np.int32)
    crops = np.stack([np.zeros_like(short), short], 1).astype(np.int32)
    return constant(paddings), constant(crops)
