"""`tf.audio`, with what TensorFlow 2.21 gave."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest

import tapeflow as tf

SOUND = np.array([[0.5, -0.25], [1.0, -1.0], [0.99999, 2.0]], np.float32)
TOP = 32767 / 32768


def test_a_file_is_written_as_tensorflow_writes_it():
    data = tf.audio.encode_wav(SOUND, 16000).numpy()
    assert data == (
        b"RIFF0\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00\x80>\x00\x00\x00\xfa\x00\x00\x04\x00\x10\x00data"
        b"\x0c\x00\x00\x00\x00@\x00\xe0\xff\x7f\x00\x80\xff\x7f\xff\x7f"
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[0.5, -0.25], [TOP, -1.0], [TOP, TOP]]),
        ({"desired_channels": 1, "desired_samples": 5}, [[0.5], [TOP], [TOP], [0.0], [0.0]]),
        ({"desired_channels": 3, "desired_samples": 2}, [[0.5, -0.25, -0.25], [TOP, -1.0, -1.0]]),
    ],
    ids=["as it is", "longer", "wider"],
)
def test_a_file_is_read(options, expected):
    found = tf.audio.decode_wav(tf.audio.encode_wav(SOUND, 16000), **options)
    np.testing.assert_array_equal(found.audio, np.array(expected, np.float32))
    assert found.audio.dtype == tf.float32
    assert int(found.sample_rate) == 16000


def test_what_is_no_sound():
    with pytest.raises(tf.errors.InvalidArgumentError, match="decode_wav expected a WAV file; got b'abc'"):
        tf.audio.decode_wav(b"abc")
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="decode_wav expected one string; got contents of shape"
    ):
        tf.audio.decode_wav([b"a", b"b"])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="audio must be 2-dimensional; got shape \\[2\\]"
    ):
        tf.audio.encode_wav(SOUND[0], 16000)
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setparams((1, 1, 8000, 0, "NONE", ""))
        written.writeframes(b"\x00\x01")
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected samples of 16 bits; got 8 bits"):
        tf.audio.decode_wav(file.getvalue())
