"""Fourier transforms over the last one, two or three axes, and cosine transforms made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.experimental.layout import Layout, with_layout_constraint

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.rearranging import pad, roll
from tapeflow.ops.domains import Domain
from tapeflow.ops.host_args import invalid, read_array, read_ints

COMPLEX = Domain("a complex tensor", (jnp.complexfloating,), "Cast it first, with tf.cast(x, tf.complex64).")
REAL = Domain(
    "a float32 or float64 tensor", (jnp.float32, jnp.float64), "Cast it first, with tf.cast(x, tf.float32)."
)


def _in_rows(x: Any) -> Any:
    """`x`, laid out row by row: XLA's transform on CPUs stops at other layouts, which a Cholesky factor asks for."""
    return with_layout_constraint(x, Layout(major_to_minor=tuple(range(x.ndim))))


@op(name="FFT")
def _fft_op(
    x: jax.Array, *, axes: tuple[int, ...], sizes: tuple[int, ...] | None, inverse: bool
) -> jax.Array:
    COMPLEX.check("tf.signal.ifft" if inverse else "tf.signal.fft", input=x)
    return _in_rows((jnp.fft.ifftn if inverse else jnp.fft.fftn)(_in_rows(x), sizes, axes))


@op(name="RFFT")
def _rfft_op(x: jax.Array, *, axes: tuple[int, ...], sizes: tuple[int, ...] | None) -> jax.Array:
    REAL.check("tf.signal.rfft", input=x)
    return jnp.fft.rfftn(x, sizes, axes)


@op(name="IRFFT")
def _irfft_op(x: jax.Array, *, axes: tuple[int, ...], sizes: tuple[int, ...] | None) -> jax.Array:
    COMPLEX.check("tf.signal.irfft", input=x)
    return jnp.fft.irfftn(x, sizes, axes)


def _last(where: str, x: Tensor, count: int) -> tuple[Tensor, tuple[int, ...]]:
    tensor = convert_to_tensor(x)
    if tensor.ndim < count:
        raise invalid(
            f"{where} expected a tensor of at least {count} axes: Input must have rank of at least {count}; got "
            f"shape {list(tensor.spec.shape)}."
        )
    return tensor, tuple(range(-count, 0))


def _sizes(where: str, fft_length: float | TensorLike, count: int) -> tuple[int, ...] | None:
    if fft_length is None:
        return None
    found = read_ints(fft_length, where, "fft_length", scalar=True)
    if len(found) != count or min(found) < 0:
        raise ValueError(
            f"{where} expected fft_length of {count} numbers of at least 0: Shape must be ({count},); got "
            f"fft_length={list(found)}."
        )
    return found


def _complex(where: str, x: Any, count: int, inverse: bool) -> Tensor:
    tensor, axes = _last(where, x, count)
    return _fft_op(tensor, axes=axes, sizes=None, inverse=inverse)


def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last axis."""
    return _complex("tf.signal.fft", input, 1, False)


def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `fft`."""
    return _complex("tf.signal.ifft", input, 1, True)


def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last two axes."""
    return _complex("tf.signal.fft2d", input, 2, False)


def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `fft2d`."""
    return _complex("tf.signal.ifft2d", input, 2, True)


def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last three axes."""
    return _complex("tf.signal.fft3d", input, 3, False)


def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `fft3d`."""
    return _complex("tf.signal.ifft3d", input, 3, True)


def _real(where: str, x: TensorLike, fft_length: Any, count: int, kernel: Callable[..., Any]) -> Tensor:
    preferred = float32 if kernel is _rfft_op else None  # of what is no tensor yet, NumPy's arrays too
    tensor, axes = _last(where, convert_to_tensor(x, dtype_hint=preferred), count)
    return kernel(tensor, axes=axes, sizes=_sizes(where, fft_length, count))


def rfft(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last axis: the nonredundant half.

    Args:
        fft_length: `[n]`; the input is cut or filled up with zeros to that length.
    """
    return _real("tf.signal.rfft", input_tensor, fft_length, 1, _rfft_op)


def irfft(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft`; the length is even unless `fft_length` is odd."""
    return _real("tf.signal.irfft", input_tensor, fft_length, 1, _irfft_op)


def rfft2d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last two axes."""
    return _real("tf.signal.rfft2d", input_tensor, fft_length, 2, _rfft_op)


def irfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfft2d`."""
    return _real("tf.signal.irfft2d", input_tensor, fft_length, 2, _irfft_op)


def rfft3d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last three axes."""
    return _real("tf.signal.rfft3d", input_tensor, fft_length, 3, _rfft_op)


def irfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfft3d`."""
    return _real("tf.signal.irfft3d", input_tensor, fft_length, 3, _irfft_op)


def fftshift(x: TensorLike, axes: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The zero frequency moved to the middle of each axis, or of some."""
    return _shifted(x, axes, 1)


def ifftshift(x: TensorLike, axes: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    return _shifted(x, axes, -1)


def _shifted(x: TensorLike, axes: Any, sign: int) -> Tensor:
    tensor = convert_to_tensor(x)
    found = (
        list(range(tensor.ndim))
        if axes is None
        else np.atleast_1d(read_array(axes, "tf.signal.fftshift", "axes")).tolist()
    )
    return roll(tensor, [sign * (tensor.spec.shape[a] // 2) for a in found], found)


@op(name="DCT")
def _dct_op(x: jax.Array, *, kind: int, is_orthonormal: bool) -> jax.Array:
    REAL.check("tf.signal.dct", input=x)
    if kind == 1:
        return jnp.real(jnp.fft.rfft(jnp.concatenate([x, x[..., -2:0:-1]], -1)))
    length = x.shape[-1]
    if kind == 4:
        wide = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, length)])
        found = _cosines(wide)[..., 1::2]
        return found * jnp.asarray(math.sqrt(0.5 / length), x.dtype) if is_orthonormal else found
    weights = np.full(length, 1.0)
    if is_orthonormal:
        weights[:] = math.sqrt(0.5 / length) if kind == 2 else math.sqrt(length * 0.5)
        weights[0] = 0.5 / math.sqrt(length) if kind == 2 else math.sqrt(length)
    elif kind == 3:
        weights[:] = length
    scale = jnp.asarray(weights, x.dtype)
    if kind == 2:
        return _cosines(x) * scale
    turn = 2 * np.exp(0.5j * np.pi * np.arange(length) / length)
    spectrum = (x * scale).astype(_complex_dtype(x)) * jnp.asarray(turn, _complex_dtype(x))
    return jnp.fft.irfft(spectrum, 2 * length)[..., :length]


def _cosines(x: jax.Array) -> jax.Array:
    length = x.shape[-1]
    turn = 2 * np.exp(-0.5j * np.pi * np.arange(length) / length)
    return jnp.real(jnp.fft.rfft(x, 2 * length)[..., :length] * jnp.asarray(turn, _complex_dtype(x)))


def _complex_dtype(x: jax.Array) -> Any:
    return jnp.complex128 if x.dtype == jnp.float64 else jnp.complex64


def _dct(where: str, x: TensorLike, kind: int, n: int | None, axis: int, norm: str | None) -> Tensor:
    tensor = convert_to_tensor(x)
    if axis != -1:
        raise NotImplementedError(f"{where}: axis must be -1. Got: {axis}. Transpose the tensor first.")
    if kind not in (1, 2, 3, 4):
        raise ValueError(f"{where}: Types I, II, III and IV (I)DCT are supported; got type={kind!r}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"{where}: Unknown normalization. Expected None or 'ortho', got: {norm}.")
    if n is not None:
        if n < 1:
            raise ValueError(f"{where}: n should be a positive integer or None; got n={n}.")
        tensor = brought_to(tensor, n)
    if kind == 1 and (norm == "ortho" or tensor.spec.shape[-1] < 2):
        raise ValueError(
            f"{where}: Type-I DCT requires the dimension to be greater than one, and normalization is not supported "
            f"for it; got shape {list(tensor.spec.shape)}, norm={norm!r}."
        )
    return _dct_op(tensor, kind=kind, is_orthonormal=norm == "ortho")


def brought_to(tensor: Tensor, length: int) -> Tensor:
    """The last axis cut or filled up with zeros."""
    have = tensor.spec.shape[-1]
    if length <= have:
        return tensor[..., :length]
    return pad(tensor, [[0, 0]] * (tensor.ndim - 1) + [[0, length - have]])


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of a type from 1 to 4 over the last axis."""
    return _dct("tf.signal.dct", input, type, n, axis, norm)


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `dct` up to its scale; exactly so with `norm="ortho"`."""
    inverse = {1: 1, 2: 3, 3: 2, 4: 4}.get(type, type)
    return _dct("tf.signal.idct", input, inverse, n, axis, norm)
