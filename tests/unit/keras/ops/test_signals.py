"""Spectra, complex numbers and CTC of `tf.keras.ops`."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

ops = tf.keras.ops


@pytest.mark.parametrize("window", ["hann", "hamming", None])
@pytest.mark.parametrize("center", [True, False])
def test_short_time_spectra_there_and_back(window: str | None, center: bool) -> None:
    x = np.random.default_rng(0).normal(size=(2, 64)).astype(np.float32)
    real, imaginary = ops.stft(x, 16, 4, 16, window=window, center=center)
    assert real.shape == ((2, 17, 9) if center else (2, 13, 9))
    again = ops.istft((real, imaginary), 16, 4, 16, window=window, center=center)
    np.testing.assert_allclose(again[:, 16:48], x[:, 16:48], atol=1e-5)
    assert ops.istft((real, imaginary), 16, 4, 16, length=40, window=window, center=center).shape == (2, 40)


def test_a_spectrum_is_that_of_the_windowed_samples() -> None:
    x = np.arange(8.0, dtype=np.float32)
    samples = np.array([0.5, 1.0, 0.25, 0.75], np.float32)
    real, imaginary = ops.stft(x, 4, 4, 8, window=samples, center=False)
    expected = np.fft.rfft(np.pad(samples, 2) * x)
    np.testing.assert_allclose(real[0], expected.real, atol=1e-5)
    np.testing.assert_allclose(imaginary[0], expected.imag, atol=1e-5)


def test_complex_views() -> None:
    pairs = np.array([[1.0, 2.0], [3.0, -4.0]], np.float32)
    np.testing.assert_allclose(ops.view_as_complex(pairs), [1 + 2j, 3 - 4j])
    np.testing.assert_allclose(ops.view_as_real(ops.view_as_complex(pairs)), pairs)


def test_ctc() -> None:
    loss = ops.ctc_loss(np.array([[1, 2]]), np.ones((1, 4, 3), np.float32), np.array([2]), np.array([4]))
    np.testing.assert_allclose(loss, [1.686399], rtol=1e-4)  # Keras 3's
    outputs = np.log(
        np.array([[[0.1, 0.7, 0.2], [0.1, 0.7, 0.2], [0.8, 0.1, 0.1], [0.1, 0.2, 0.7]]], np.float32)
    )
    found, _ = ops.ctc_decode(outputs, np.array([4]))
    assert found.numpy().tolist() == [[[1, 2, -1, -1]]]
    found, scores = ops.ctc_decode(outputs, np.array([4]), "beam_search", beam_width=5, top_paths=2)
    assert found[0, 0].numpy().tolist() == [1, 2, -1, -1]
    assert scores.shape == (1, 2)


def test_errors() -> None:
    with pytest.raises(ValueError, match="stft expected window to be 'hann', 'hamming', None or the samples"):
        ops.stft(np.zeros(8), 4, 2, 4, window="kaiser")
    with pytest.raises(ValueError, match="istft expected a window of sequence_length samples"):
        ops.istft((np.zeros((3, 3)), np.zeros((3, 3))), 8, 2, 4)
    with pytest.raises(ValueError, match="ctc_decode expected strategy to be 'greedy' or 'beam_search'"):
        ops.ctc_decode(np.zeros((1, 2, 3)), [2], "best")
