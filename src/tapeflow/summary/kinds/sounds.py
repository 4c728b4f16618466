"""`tf.summary.audio`."""

from __future__ import annotations

import io
import wave
from functools import partial
from typing import SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import wire
from tapeflow.summary.event_files.encoding import metadata as summary_metadata
from tapeflow.summary.limits import check_rank, first, output_limit

_WAV = wire.number(2, 11)  # AudioPluginData.encoding


def audio(
    name: str,
    data: npt.ArrayLike,
    sample_rate: npt.ArrayLike,
    step: SupportsInt | None = None,
    max_outputs: npt.ArrayLike = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> bool:
    """Write audio clips, as 16-bit WAV.

    Args:
        name: the tag; the name scope is put in front of it.
        data: clips of shape `[k, frames, channels]`, floats from -1 to 1.
        sample_rate: samples a second.
        step: the step, unless there is a default one.
        max_outputs: how many of them to write; the rest are left out.
        encoding: "wav", the only one.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.
    """
    if encoding not in (None, "wav"):
        raise ValueError(
            f"tf.summary.audio expected encoding 'wav'; got encoding={encoding!r}. Unknown encoding."
        )
    writer = recording_writer()
    if writer is None:
        return False
    most, rate = output_limit("audio", max_outputs), int(np.asarray(sample_rate))
    if rate <= 0:
        raise ValueError(
            f"tf.summary.audio expected a positive sample_rate; got sample_rate={sample_rate!r}."
        )
    return emit(
        writer,
        tag_of(name, "audio_summary"),
        first(data, most),
        step,
        _metadata(description),
        partial(audio_strings, rate=rate, most=most),
        _check,
    )


def _metadata(description: str | None) -> bytes:
    return summary_metadata("audio", _WAV, description)


def _check(shape: tuple[int, ...], dtype: np.dtype) -> None:
    check_rank(
        "audio", shape, 3, "[k, frames, channels]", "For one clip of one channel pass data[None, :, None]."
    )
    if dtype.kind not in "fV":
        raise TypeError(f"tf.summary.audio expected floats from -1 to 1; got data of dtype {dtype}.")


def audio_strings(clips: np.ndarray, rate: int, most: int = 3) -> np.ndarray:
    """What an audio summary holds: for each clip a WAV file and an empty label."""
    found = np.empty((min(len(clips), most), 2), dtype=object)
    for i in range(len(found)):
        found[i] = wav(clips[i], rate), b""
    return found


def wav(clip: np.ndarray, rate: int) -> bytes:
    """Sound of shape `[frames, channels]`, from -1 to 1, as a 16-bit WAV file."""
    scaled = np.nan_to_num(clip.astype(np.float32)) * np.float32(32768)
    rounded = np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled)  # halves away from zero
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(clip.shape[1])
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(np.clip(rounded, -32768, 32767).astype("<i2").tobytes())
    return file.getvalue()
