"""Schedules: what every one must do, and what only some do."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import schedules

ALL: list[Any] = [
    schedules.ExponentialDecay(0.5, 10, 0.9),
    schedules.ExponentialDecay(0.5, 10, 0.9, staircase=True),
    schedules.InverseTimeDecay(0.5, 10, 0.9, staircase=True),
    schedules.PolynomialDecay(0.5, 10, 0.1, power=2.0),
    schedules.PolynomialDecay(0.5, 10, 0.1, cycle=True),
    schedules.CosineDecay(0.5, 10, alpha=0.1),
    schedules.CosineDecay(0.1, 10, warmup_target=0.5, warmup_steps=4),
    schedules.CosineDecayRestarts(0.5, 4, t_mul=1.5, m_mul=0.9, alpha=0.1),
    schedules.CosineDecayRestarts(0.5, 4, t_mul=1.0),
    schedules.PiecewiseConstantDecay([3, 7], [1.0, 0.5, 0.1]),
]
NAMES = [f"{i}-{type(s).__name__}" for i, s in enumerate(ALL)]


@pytest.mark.parametrize("schedule", ALL, ids=NAMES)
def test_config_round_trip(schedule: Any) -> None:
    described = json.loads(json.dumps(schedules.serialize(schedule)))
    again = schedules.deserialize(described)
    assert type(again) is type(schedule)
    assert again.get_config() == schedule.get_config()
    assert float(again(5)) == float(schedule(5))


@pytest.mark.parametrize("schedule", ALL, ids=NAMES)
def test_steps_of_any_kind(schedule: Any) -> None:
    expected = float(schedule(6))
    for step in (6.0, np.int64(6), tf.constant(6), tf.constant(6, tf.int64), tf.Variable(6, dtype=tf.int64)):
        found = schedule(step)
        assert found.dtype is tf.float32
        assert float(found) == pytest.approx(expected, rel=1e-6)
    assert float(tf.function(schedule)(tf.constant(6))) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("schedule", ALL, ids=NAMES)
def test_is_one_op(schedule: Any) -> None:
    from tapeflow.engine.recording.trace import live_trace

    step = tf.Variable(3, dtype=tf.int64)
    before = len(live_trace().nodes)
    rate = schedule(step)
    assert len(live_trace().nodes) == before + 1
    assert np.isfinite(float(rate))
