"""Slices of a fixed size that begin where a tensor says, moved inside where they would not fit, as XLA does."""

from __future__ import annotations

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import read_shape

lax = jax.lax


@op(name="XlaDynamicSlice", same_dtype=False)
def _slice(x: jax.Array, start: jax.Array, *, sizes: tuple[int, ...]) -> jax.Array:
    return lax.dynamic_slice(x, tuple(start), sizes)


@op(name="XlaDynamicUpdateSlice", same_dtype=False)
def _update(x: jax.Array, update: jax.Array, start: jax.Array) -> jax.Array:
    return lax.dynamic_update_slice(x, update, tuple(start))


def dynamic_slice(x: TensorLike, start_indices: TensorLike, size_indices: TensorLike) -> Tensor:
    """The part of `x` of a size that begins at `start_indices`."""
    sizes = read_shape(size_indices, "xla.dynamic_slice", "size_indices")
    return _slice(convert_to_tensor(x), convert_to_tensor(start_indices), sizes=sizes)


def dynamic_update_slice(x: TensorLike, update: TensorLike, start: TensorLike) -> Tensor:
    """`x` with the part that begins at `start` replaced by `update`."""
    tensor = convert_to_tensor(x)
    return _update(tensor, convert_to_tensor(update, tensor.dtype), convert_to_tensor(start))
