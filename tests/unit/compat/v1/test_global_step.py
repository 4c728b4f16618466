"""The counter of steps of `tf.compat.v1.train`, and the rates that follow it."""

from __future__ import annotations

import pytest

import tapeflow as tf

train = tf.compat.v1.train


def test_there_is_one_counter() -> None:
    counter = train.get_or_create_global_step()
    assert train.get_or_create_global_step() is counter is train.get_global_step()
    assert counter.dtype == tf.int64
    with pytest.raises(ValueError, match='"global_step" already exists'):
        train.create_global_step()


def test_rates_follow_a_counter() -> None:
    step = tf.Variable(0)
    rates = [
        train.exponential_decay(1.0, step, 2, 0.5),
        train.inverse_time_decay(1.0, step, 2, 0.5),
        train.polynomial_decay(1.0, step, 4, 0.0),
        train.cosine_decay(1.0, step, 4),
        train.piecewise_constant(step, [1], [1.0, 0.25]),
    ]
    assert [float(rate()) for rate in rates] == [1.0] * 5
    step.assign(2)
    assert [round(float(rate()), 4) for rate in rates] == [0.5, 0.6667, 0.5, 0.5, 0.25]
