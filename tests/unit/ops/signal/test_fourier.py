"""Fourier transforms: the dtypes they come in."""

from __future__ import annotations

import numpy as np

import tapeflow as tf


def test_arrays_are_taken_as_32_bits_and_tensors_as_they_are() -> None:
    wave = np.arange(4.0)
    assert tf.signal.rfft(wave).dtype == tf.complex64
    assert tf.signal.rfft(tf.constant(wave)).dtype == tf.complex128
