"""`tf.audio`: sound in WAV files of 16 bits a sample."""

from __future__ import annotations

import io
import wave
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32, int32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_int
from tapeflow.ops.strings.text import read_strings, string_tensor

_SCALE = 32768.0


class DecodeWav(NamedTuple):
    """The sound of a file: samples by channels, from -1 to 1, and how many samples a second has."""

    audio: Tensor
    sample_rate: Tensor


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """The samples of a WAV file's bytes.

    Args:
        contents: the bytes, as `tf.io.read_file` gives them.
        desired_channels: as many as the file has unless given; the last one is repeated for more.
        desired_samples: as many as the file has unless given; zeros are added for more.

    Raises:
        InvalidArgumentError: it is no WAV file, or its samples are not of 16 bits.
    """
    texts = read_strings(contents, "tf.audio.decode_wav", "contents")
    if texts.shape:
        raise invalid(f"tf.audio.decode_wav expected one string; got contents of shape {list(texts.shape)}.")
    try:
        with wave.open(io.BytesIO(texts.item())) as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            data = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise invalid(
            f"tf.audio.decode_wav expected a WAV file; got {texts.item()[:12]!r} ({error})."
        ) from None
    if width != 2:
        raise invalid(f"tf.audio.decode_wav expected samples of 16 bits; got {8 * width} bits.")
    whole = len(data) // (2 * channels)
    found = np.frombuffer(data, "<i2", whole * channels).reshape(whole, channels).astype(
        np.float32
    ) / np.float32(_SCALE)
    if desired_channels > 0:
        found = found[:, np.minimum(np.arange(desired_channels), channels - 1)]
    if desired_samples > 0:
        missing = max(desired_samples - len(found), 0)
        found = np.pad(found[:desired_samples], ((0, missing), (0, 0)))
    return DecodeWav(convert_to_tensor(found, float32), convert_to_tensor(rate, int32))


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """Encode samples by channels as the bytes of a WAV file; values outside -1 to 1 are clipped."""
    samples = np.asarray(convert_to_tensor(audio, float32).numpy())
    if samples.ndim != 2:
        raise invalid(
            f"tf.audio.encode_wav expected samples by channels: audio must be 2-dimensional; got shape "
            f"{list(samples.shape)}."
        )
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(samples.shape[1])
        written.setsampwidth(2)
        written.setframerate(read_int(sample_rate, "tf.audio.encode_wav", "sample_rate"))
        written.writeframes(np.clip(np.round(samples * _SCALE), -32768, 32767).astype("<i2").tobytes())
    return string_tensor([file.getvalue()], ())
