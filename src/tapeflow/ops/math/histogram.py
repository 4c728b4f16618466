"""Histograms of equal bins between two values; what lies outside counts in the outermost bins."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, known_value, read_int


def _bins(values: jax.Array, limits: Any, count: int) -> jax.Array:
    low, high = limits[0], limits[1]
    share = (values - low).astype(jnp.float64 if values.dtype == jnp.float64 else jnp.float32)
    place = jnp.floor(share / (high - low).astype(share.dtype) * count)
    return jnp.clip(place, 0, count - 1).astype(jnp.int32)


@op(name="HistogramFixedWidthBins", differentiable=False)
def _bins_op(values: jax.Array, limits: jax.Array, *, count: int, dtype: DType) -> jax.Array:
    return _bins(values, limits, count).astype(dtype.as_numpy_dtype)


@op(name="HistogramFixedWidth", differentiable=False)
def _histogram_op(values: jax.Array, limits: jax.Array, *, count: int, dtype: DType) -> jax.Array:
    empty = jnp.zeros((count,), dtype.as_numpy_dtype)
    return empty.at[_bins(values, limits, count).ravel()].add(jnp.ones((), empty.dtype))


def _read(
    where: str, values: TensorLike, value_range: TensorLike, nbins: TensorLike, dtype: DTypeLike
) -> tuple[Tensor, Tensor, int, DType]:
    tensor = convert_to_tensor(values)
    limits = convert_to_tensor(value_range, dtype_hint=tensor.dtype)
    known = known_value(limits)
    if limits.spec.shape != (2,) or (known is not None and known[0] >= known[1]):
        raise invalid(
            f"{where} expected value_range of two numbers, the first below the second; got value_range "
            f"{describe(limits)}{'' if known is None else f' = {known.tolist()}'}."
        )
    count, wanted = read_int(nbins, where, "nbins"), as_dtype(dtype)
    if count < 1:
        raise invalid(f"{where} expected nbins of at least 1: nbins must be positive; got nbins={count}.")
    return tensor, limits, count, wanted


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """The number of values in each of `nbins` equal bins.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)
    """
    where = "tf.histogram_fixed_width"
    tensor, limits, count, wanted = _read(where, values, value_range, nbins, dtype)
    return _histogram_op(tensor, limits, count=count, dtype=wanted)


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """The index of the bin that contains each value."""
    where = "tf.histogram_fixed_width_bins"
    tensor, limits, count, wanted = _read(where, values, value_range, nbins, dtype)
    return _bins_op(tensor, limits, count=count, dtype=wanted)
