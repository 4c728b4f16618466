"""Decaying schedules."""

from __future__ import annotations

import tapeflow as tf
from tapeflow.keras.optimizers import schedules


def test_rates_that_are_whole_numbers_or_tensors() -> None:
    assert float(schedules.ExponentialDecay(1, 10, 0.5)(10)) == 0.5
    assert float(schedules.ExponentialDecay(tf.constant(1.0), 10, 0.5)(10)) == 0.5
    double = schedules.ExponentialDecay(tf.constant(1.0, tf.float64), 10, 0.5)(10)
    assert double.dtype is tf.float64
