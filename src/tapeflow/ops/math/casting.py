"""Changing dtypes: `cast`, `saturate_cast`, `bitcast`, and putting complex numbers together."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, float64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.math.arithmetic import larger, smaller

lax = jax.lax


def _host_cast(x: np.ndarray, *, dtype: DType) -> np.ndarray:
    return x.astype(dtype.as_numpy_dtype)


@op(name="Cast", same_dtype=False, host=_host_cast)
def _cast(x: jax.Array, *, dtype: DType) -> jax.Array:
    if jnp.issubdtype(x.dtype, jnp.complexfloating) and not dtype.is_complex:
        x = jnp.real(x)
    if jnp.issubdtype(x.dtype, jnp.floating) and dtype.is_integer and _wraps(dtype):
        # By way of a wide integer, whose upper bits fall away: 300. becomes 44 as in TensorFlow,
        # where XLA's own conversion would give 255.
        x = x.astype(jnp.int64 if dtype.size == 4 else jnp.int32)
    return x.astype(dtype.as_numpy_dtype)


def _wraps(dtype: DType) -> bool:
    return dtype.size < 4 or (dtype.size == 4 and dtype.is_unsigned)


@op(name="SaturateCast", same_dtype=False)
def _saturate_cast(x: jax.Array, *, dtype: DType, low: float | None, high: float | None) -> jax.Array:
    if low is not None:
        x = larger(x, jnp.asarray(low, x.dtype))
    if high is not None:
        x = smaller(x, jnp.asarray(high, x.dtype))
    return x.astype(dtype.as_numpy_dtype)


@op(name="Bitcast", same_dtype=False, differentiable=False)
def _bitcast(x: jax.Array, *, dtype: DType) -> jax.Array:
    return lax.bitcast_convert_type(x, dtype.as_numpy_dtype)


@op(name="Complex")
def _complex(real: jax.Array, imag: jax.Array) -> jax.Array:
    return lax.complex(*jnp.broadcast_arrays(real, imag))


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """x in another dtype.

    Floats lose their fraction on the way to an integer, complex numbers their imaginary part, and
    everything but zero is `True` as a bool. A float too large for a 32 or 64-bit integer becomes
    the nearest one, and NaN becomes 0; smaller integers wrap around.

    Raises:
        UnimplementedError: from or to a string.
    """
    wanted = as_dtype(dtype)
    tensor = convert_to_tensor(x)
    if tensor.dtype is wanted:
        return tensor
    _refuse_other_than_numbers("tf.cast", tensor, wanted)
    return _cast(tensor, dtype=wanted)


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`value` in another dtype, after clipping it to what that dtype can hold.

    Raises:
        TypeError: from or to a bool.
    """
    wanted = as_dtype(dtype)
    tensor = convert_to_tensor(value)
    if tensor.dtype is wanted:
        return tensor
    _refuse_other_than_numbers("tf.saturate_cast", tensor, wanted)
    if tensor.dtype.is_bool or wanted.is_bool:
        raise TypeError(
            "tf.saturate_cast expected numbers, since a bool has no smallest value; got value "
            f"{describe(tensor)} for dtype={wanted.name}. Use tf.cast."
        )
    if tensor.dtype.is_complex and not wanted.is_complex:
        tensor = _cast(tensor, dtype=tensor.dtype.real_dtype)
    if tensor.dtype.is_complex or wanted.is_complex:
        return _cast(tensor, dtype=wanted)
    low, high = _bounds(tensor.dtype, wanted)
    return _saturate_cast(tensor, dtype=wanted, low=low, high=high)


def _bounds(source: DType, target: DType) -> tuple[int | float | None, int | float | None]:
    """The target's limits as numbers of the source; `None` where the source stays within."""
    low, high = _number(target.min), _number(target.max)
    below = None if _number(source.min) >= low else low
    above = None if _number(source.max) <= high else high
    if source.is_integer:
        return below, None if above is None else int(above)
    if above is not None and float(np.asarray(above, source.as_numpy_dtype)) > above:
        # The largest integer rounds up to a float that it cannot hold: take the float below.
        rounded = np.asarray(above, source.as_numpy_dtype)
        above = float(np.nextafter(rounded, np.zeros((), rounded.dtype)))
    return None if below is None else float(below), None if above is None else float(above)


def _number(limit: Any) -> int | float:
    return int(limit) if isinstance(limit, (int, np.integer)) else float(limit)


def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The same bits read as another dtype.

    A smaller dtype adds an innermost axis for the pieces; a larger one takes an axis of exactly the
    right size away.

    Raises:
        InvalidArgumentError: the innermost axis does not fill one larger element.
    """
    wanted = as_dtype(type)
    tensor = convert_to_tensor(input)
    for dtype in (tensor.dtype, wanted):
        if not (dtype.is_floating or dtype.is_integer):
            raise invalid(
                "tf.bitcast expected integer or floating-point dtypes; got input "
                f"{describe(tensor)} for type={wanted.name}. Use tf.cast, or tf.math.real and imag."
            )
    ratio = wanted.size // tensor.dtype.size
    if ratio > 1 and tensor.spec.shape[-1:] != (ratio,):
        raise invalid(
            f"tf.bitcast expected an innermost axis of size {ratio} to make {wanted.name} of "
            f"{tensor.dtype.name}; got input {describe(tensor)}. Reshape it to [..., {ratio}]."
        )
    return _bitcast(tensor, dtype=wanted)


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """The complex number with these two parts.

    Raises:
        TypeError: the parts are not both float32 or both float64.
    """
    real, imag = convert_to_tensor(real), convert_to_tensor(imag)
    if real.dtype is not imag.dtype or real.dtype not in (float32, float64):
        raise TypeError(
            "tf.complex expected both parts to be float32 or both float64; got real "
            f"{describe(real)} and imag {describe(imag)}. Cast them to one of the two."
        )
    return _complex(real, imag)


def _refuse_other_than_numbers(where: str, tensor: Tensor, wanted: DType) -> None:
    for dtype in (tensor.dtype, wanted):
        if not (dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_bool):
            raise errors.UnimplementedError(
                None,
                None,
                f"{where} expected numbers or bools; cast {tensor.dtype.name} to {wanted.name} is "
                f"not supported; got {describe(tensor)}. Use tf.strings.to_number or "
                "tf.strings.as_string for strings.",
            )
