"""Signals cut into frames and put together again; spectrograms, mel bands and MDCT made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.shapes.expression import is_symbolic
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import constant, convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.joining import concat, split
from tapeflow.ops.array.rearranging import reverse
from tapeflow.ops.host_args import describe, invalid, read_axis, read_int
from tapeflow.ops.signal.fourier import brought_to, dct, irfft, rfft
from tapeflow.ops.signal.windows import hann_window, vorbis_window

Window = Callable[..., Any] | None


@op(name="Frame")
def _frame_op(x: jax.Array, *, length: int, step: int, pad_value: float | None, axis: int) -> jax.Array:
    samples = x.shape[axis]
    if pad_value is None:
        count = max(0, 1 + (samples - length) // step)
    else:
        count = -(-samples // step)
        width = [(0, 0)] * x.ndim
        width[axis] = (0, length)  # at least as much as the last frame needs
        x = jnp.pad(x, width, constant_values=pad_value)
    starts = (jnp if is_symbolic(count) else np).arange(count, dtype=np.int32) * step
    return jnp.take(x, starts[:, None] + np.arange(length, dtype=np.int32), axis=axis)


def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int | Sequence[int] = -1,
    name: str | None = None,
) -> Tensor:
    """A signal cut into frames that may overlap, with the frames as an axis before their samples.

    Args:
        frame_length: samples a frame.
        frame_step: samples from the start of one to that of the next.
        pad_end: fill up the last frames instead of leaving them out.
        pad_value: what to fill up with.
        axis: the time axis.
    """
    where = "tf.signal.frame"
    tensor = convert_to_tensor(signal)
    return _frame_op(
        tensor,
        length=_positive(where, "frame_length", frame_length),
        step=_positive(where, "frame_step", frame_step),
        pad_value=float(pad_value) if pad_end else None,
        axis=read_axis(axis, tensor.ndim, where),
    )


def _positive(where: str, name: str, value: Any) -> int:
    found = read_int(value, where, name)
    if found < 1:
        raise invalid(f"{where} expected {name} of at least 1; got {name}={found}.")
    return found


@op(name="OverlapAndAdd")
def _overlap_op(frames: jax.Array, *, step: int) -> jax.Array:
    """Frames added up where they overlap: each is cut into steps, and steps that coincide are summed."""
    count, length = frames.shape[-2:]
    pieces = -(-length // step)
    width = [(0, 0)] * (frames.ndim - 1) + [(0, pieces * step - length)]
    cut = jnp.pad(frames, width).reshape((*frames.shape[:-1], pieces, step))
    total = jnp.zeros((*frames.shape[:-2], count + pieces - 1, step), frames.dtype)
    for i in range(pieces):
        total = total.at[..., i : i + count, :].add(cut[..., i, :])
    return total.reshape((*frames.shape[:-2], -1))[..., : length + step * (count - 1)]


def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """The signal of which these are frames, which are added where they overlap."""
    where = "tf.signal.overlap_and_add"
    tensor = convert_to_tensor(signal)
    if tensor.ndim < 2:
        raise ValueError(f"{where} expected frames of at least 2 axes; got signal {describe(tensor)}.")
    return _overlap_op(tensor, step=_positive(where, "frame_step", frame_step))


def _transform_length(length: int, fft_length: Any, where: str) -> int:
    if fft_length is not None:
        return _positive(where, "fft_length", fft_length)
    return 2 ** math.ceil(math.log2(length))


def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: frames by frequencies.

    Args:
        signals: real numbers, time last.
        frame_length: samples a frame.
        frame_step: samples from one frame to the next.
        fft_length: the length of a transform; the next power of two if not given.
        window_fn: gives the window for a length and a dtype; None for none.
        pad_end: fill up the last frames with zeros.
    """
    where = "tf.signal.stft"
    length = _positive(where, "frame_length", frame_length)
    frames = frame(signals, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [_transform_length(length, fft_length, where)])


def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal of a short-time Fourier transform; exact with the window of `inverse_stft_window_fn`."""
    where = "tf.signal.inverse_stft"
    tensor = convert_to_tensor(stfts)
    length = _positive(where, "frame_length", frame_length)
    frames = brought_to(irfft(tensor, [_transform_length(length, fft_length, where)]), length)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Tensor]:
    """The window that makes `inverse_stft` undo an `stft` with a window and a step."""
    step = _positive("tf.signal.inverse_stft_window_fn", "frame_step", frame_step)

    def window(frame_length: Any, dtype: DTypeLike) -> Tensor:
        forward = np.asarray(forward_window_fn(frame_length, dtype=dtype))
        length = len(forward)
        count = -(-length // step)
        squares = np.pad(np.square(forward), (0, count * step - length)).reshape(count, step)
        total = np.tile(squares.sum(0), count)[:length]
        safe = np.where(total == 0, 1, total)
        return constant(np.where(total == 0, 0, forward / safe).astype(forward.dtype))

    return window


def mdct(
    signals: TensorLike,
    frame_length: TensorLike,
    window_fn: Window = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform, of frames that overlap by half."""
    length = _positive("tf.signal.mdct", "frame_length", frame_length)
    if length % 4:
        raise ValueError(f"tf.signal.mdct: The frame length must be a multiple of 4; got {length}.")
    frames = frame(signals, length, length // 2, pad_end)
    frames = frames * (window_fn(length, dtype=frames.dtype) if window_fn else math.sqrt(0.5))
    a, b, c, d = split(frames, 4, axis=-1)
    return dct(concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], -1), 4, norm=norm)


def inverse_mdct(
    mdcts: Any, window_fn: Window = vorbis_window, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `mdct`."""
    tensor = convert_to_tensor(mdcts)
    half = tensor.spec.shape[-1]
    found = dct(tensor, 4, norm=norm)
    if norm is None:
        found = found * (0.5 / half)
    a, b = split(found, 2, axis=-1)
    frames = concat([b, -reverse(b, [-1]), -reverse(a, [-1]), -a], -1)
    frames = frames * (window_fn(2 * half, dtype=frames.dtype) if window_fn else math.sqrt(0.5))
    return overlap_and_add(frames, half)


_MEL_HERTZ, _MEL_Q = 700.0, 1127.0


def _mel(hertz: Any) -> Any:
    return _MEL_Q * np.log(1 + hertz / _MEL_HERTZ)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """A matrix that turns spectrogram bins into mel bands: triangles, evenly spaced as the ear hears."""
    where = "tf.signal.linear_to_mel_weight_matrix"
    rate = float(sample_rate)
    if num_mel_bins <= 0 or rate <= 0 or not 0 <= lower_edge_hertz < upper_edge_hertz <= rate / 2:
        raise ValueError(
            f"{where} expected num_mel_bins must be positive, and 0 <= lower_edge_hertz < upper_edge_hertz <= "
            f"sample_rate / 2; got num_mel_bins={num_mel_bins}, sample_rate={rate}, "
            f"lower_edge_hertz={lower_edge_hertz}, upper_edge_hertz={upper_edge_hertz}."
        )
    bins = _mel(np.linspace(0, rate / 2, int(num_spectrogram_bins))[1:])[:, None]
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), int(num_mel_bins) + 2)
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    slopes = np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle))
    weights = np.pad(np.maximum(slopes, 0), ((1, 0), (0, 0)))  # nothing of the constant part
    return constant(weights.astype(as_dtype(dtype).as_numpy_dtype))


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: an orthonormal cosine transform of log mel bands."""
    tensor = convert_to_tensor(log_mel_spectrograms)
    return dct(tensor, 2) * math.sqrt(0.5 / tensor.spec.shape[-1])
