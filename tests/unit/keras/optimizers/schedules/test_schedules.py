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


def test_rates_that_are_whole_numbers_or_tensors() -> None:
    assert float(schedules.ExponentialDecay(1, 10, 0.5)(10)) == 0.5
    assert float(schedules.ExponentialDecay(tf.constant(1.0), 10, 0.5)(10)) == 0.5
    double = schedules.ExponentialDecay(tf.constant(1.0, tf.float64), 10, 0.5)(10)
    assert double.dtype is tf.float64


def test_warmup_without_steps() -> None:
    schedule = schedules.CosineDecay(0.1, 10, warmup_target=0.5)
    assert float(schedule(0)) == 0.5


def test_boundaries_and_values_must_fit() -> None:
    with pytest.raises(ValueError, match="length of boundaries should be 1 less than the length of values"):
        schedules.PiecewiseConstantDecay([1, 2], [0.1, 0.2])


def test_base_class() -> None:
    with pytest.raises(NotImplementedError, match=r"must override `__call__\(self, step\)`"):
        schedules.LearningRateSchedule()(1)
    with pytest.raises(NotImplementedError, match=r"must override `get_config\(\)`"):
        schedules.LearningRateSchedule().get_config()


class Halving(schedules.LearningRateSchedule):
    """A user's own."""

    def __init__(self, start: float) -> None:
        self.start = start

    def __call__(self, step: Any) -> Any:
        return self.start * tf.pow(0.5, tf.cast(step, tf.float32))

    def get_config(self) -> dict[str, Any]:
        return {"start": self.start}


def test_users_own_is_saved_and_found_again() -> None:
    described = schedules.serialize(Halving(4.0))
    again = schedules.deserialize(described, custom_objects={"Halving": Halving})
    assert float(again(2)) == 1.0
    with pytest.raises(ValueError, match="Halving"):
        schedules.deserialize(described)
