"""Windows: how much of each sample of a frame counts. Their length is a number, so they are constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.dtypes import DType, as_dtype, float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import read_int


def _read(where: str, window_length: Any, dtype: DTypeLike) -> tuple[int, DType]:
    wanted = as_dtype(dtype)
    if not wanted.is_floating:
        raise ValueError(f"{where}: dtype must be a floating point type. Found {wanted!r}.")
    return read_int(window_length, where, "window_length"), wanted


def _cosine(where: str, window_length: Any, periodic: bool, dtype: DTypeLike, middle: float) -> Tensor:
    length, wanted = _read(where, window_length, dtype)
    if length == 1:
        return constant(np.ones(1), wanted)
    period = length - 1 + (1 if periodic and length % 2 == 0 else 0)
    window = middle - (1 - middle) * np.cos(2 * np.pi * np.arange(length) / period)
    return constant(window.astype(wanted.as_numpy_dtype))


def hann_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The Hann window: a raised cosine that is 0 at the ends."""
    return _cosine("tf.signal.hann_window", window_length, bool(periodic), dtype, 0.5)


def hamming_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A cosine raised a little higher, against the nearest side lobe."""
    return _cosine("tf.signal.hamming_window", window_length, bool(periodic), dtype, 0.54)


def vorbis_window(window_length: TensorLike, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """The window of the Vorbis codec, whose squares add up to 1 where halves overlap."""
    length, wanted = _read("tf.signal.vorbis_window", window_length, dtype)
    window = np.sin(np.pi / 2 * np.sin(np.pi / length * (np.arange(length) + 0.5)) ** 2)
    return constant(window.astype(wanted.as_numpy_dtype))


def kaiser_window(
    window_length: TensorLike, beta: float = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The Kaiser window; a larger `beta` narrows it."""
    length, wanted = _read("tf.signal.kaiser_window", window_length, dtype)
    return constant(np.kaiser(length, float(beta)).astype(wanted.as_numpy_dtype))


def kaiser_bessel_derived_window(
    window_length: TensorLike, beta: float = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The Kaiser-Bessel derived window: its squares add up to 1 where halves overlap."""
    length, wanted = _read("tf.signal.kaiser_bessel_derived_window", window_length, dtype)
    sums = np.cumsum(np.kaiser(length // 2 + 1, float(beta)))
    half = np.sqrt(sums[:-1] / sums[-1])
    return constant(np.concatenate([half, half[::-1]]).astype(wanted.as_numpy_dtype))
