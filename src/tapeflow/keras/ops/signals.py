"""`tf.keras.ops` of signals and sequences: short-time spectra, and the alignment of outputs with labels (CTC)."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.ops.conversion import floating, tensor

_LEAST = 1e-10  # the smallest overlap of windows that is divided by


def stft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    window: Any = "hann",
    center: bool = True,
) -> tuple[Any, Any]:
    """The spectra of overlapping windows, real and imaginary parts.

    Args:
        x: signals along the last axis.
        sequence_length: the samples of a window.
        sequence_stride: the distance between windows.
        fft_length: the size of the transform, at least that of a window.
        window: `'hann'`, `'hamming'`, the samples of a window, or None.
        center: whether the first window is centered at the first sample.
    """
    x = floating(x)
    if center:
        before = [[0, 0]] * (len(x.shape) - 1)
        x = tf.pad(x, [*before, [fft_length // 2] * 2], mode="REFLECT")
    frames = tf.signal.frame(x, fft_length, sequence_stride)
    frames = frames * _window(window, sequence_length, fft_length, x.dtype, "stft")
    found = tf.signal.rfft(frames, [fft_length])
    return tf.math.real(found), tf.math.imag(found)


def istft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Tensor:
    """The signals that have these short-time spectra: what `stft` was given."""
    real, imaginary = (floating(part) for part in x)
    frames = tf.signal.irfft(tf.complex(real, imaginary), [fft_length])
    weights = _window(window, sequence_length, fft_length, frames.dtype, "istft")
    whole = tf.signal.overlap_and_add(frames * weights, sequence_stride)
    overlap = tf.signal.overlap_and_add(tf.ones_like(frames) * tf.square(weights), sequence_stride)
    whole = tf.where(overlap > _LEAST, whole / tf.maximum(overlap, tf.constant(_LEAST, overlap.dtype)), whole)
    start = fft_length // 2 if center else 0
    if length is not None:
        return whole[..., start : start + length]
    return whole[..., start : -start or None]


def _window(window: Any, length: int, fft_length: int, dtype: Any, where: str) -> Any:
    """The samples of a window, in the middle of `fft_length`."""
    if window is None:
        samples = tf.ones([length], dtype)
    elif isinstance(window, str):
        made_by = {"hann": tf.signal.hann_window, "hamming": tf.signal.hamming_window}.get(window)
        if made_by is None:
            raise ValueError(
                f"keras.ops.{where} expected window to be 'hann', 'hamming', None or the samples of a window; got "
                f"window={window!r}. Pass the samples of other windows."
            )
        samples = made_by(length, periodic=True, dtype=dtype)
    else:
        samples = tensor(window, dtype)
    if samples.shape[0] != length or length > fft_length:
        raise ValueError(
            f"keras.ops.{where} expected a window of sequence_length samples, at most fft_length; got "
            f"{samples.shape[0]} samples, sequence_length={length}, fft_length={fft_length}. Make fft_length larger, "
            "or the window shorter."
        )
    before = (fft_length - length) // 2
    return tf.pad(samples, [[before, fft_length - length - before]])


def view_as_complex(x: Any) -> Tensor:
    """Pairs along the last axis as complex numbers."""
    x = floating(x)
    return tf.complex(x[..., 0], x[..., 1])


def view_as_real(x: Any) -> Tensor:
    """Complex numbers as pairs along a new last axis."""
    x = tensor(x)
    return tf.stack([tf.math.real(x), tf.math.imag(x)], axis=-1)


def ctc_loss(
    target: TensorLike,
    output: TensorLike,
    target_length: TensorLike,
    output_length: TensorLike,
    mask_index: int = 0,
) -> Tensor:
    """The loss of connectionist temporal classification, of each sample; `output` has logits."""
    return tf.nn.ctc_loss(
        tf.cast(tensor(target), tf.int32),
        floating(output),
        tensor(target_length, "int32"),
        tensor(output_length, "int32"),
        logits_time_major=False,
        blank_index=mask_index,
    )


def ctc_decode(
    inputs: Any,
    sequence_lengths: TensorLike,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int = 0,
) -> tuple[Tensor, Tensor]:
    """The labels that outputs most likely stand for, padded with -1, and their scores."""
    inputs = floating(inputs)
    batch, steps, classes = inputs.shape
    by_time, lengths = tf.transpose(inputs, [1, 0, 2]), tensor(sequence_lengths, "int32")
    mask_index %= classes
    if strategy == "greedy":
        paths, scores = tf.nn.ctc_greedy_decoder(by_time, lengths, merge_repeated, blank_index=mask_index)
    elif strategy == "beam_search":
        others = [by_time[..., :mask_index], by_time[..., mask_index + 1 :]]
        by_time = tf.concat([*others, by_time[..., mask_index : mask_index + 1]], -1)
        paths, scores = tf.nn.ctc_beam_search_decoder(by_time, lengths, beam_width, top_paths)
    else:
        raise ValueError(
            f"keras.ops.ctc_decode expected strategy to be 'greedy' or 'beam_search'; got strategy={strategy!r}."
        )
    found = tf.stack([_filled(path, batch, steps) for path in paths])
    if strategy == "beam_search":
        found = tf.where(found >= mask_index, found + 1, found)
    return found, scores


def _filled(path: Any, batch: int | None, steps: int | None) -> Tensor:
    whole = tf.SparseTensor(path.indices, path.values, [batch, steps])
    return tf.cast(tf.sparse.to_dense(whole, default_value=-1), tf.int32)
