"""The learning rate: a Variable, a schedule or a function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import SGD, Adam, Optimizer, schedules


def moved(optimizer: Any) -> float:
    """How far one step with a gradient of 1 goes."""
    x = tf.Variable(0.0)
    optimizer.build([x])
    optimizer.apply_gradients([(tf.constant(1.0), optimizer._trainable_variables[0])])
    return -float(optimizer._trainable_variables[0])


def test_it_is_a_variable() -> None:
    optimizer = SGD(0.5)
    assert isinstance(optimizer.learning_rate, tf.Variable)
    assert optimizer.learning_rate.numpy() == np.float32(0.5)
    assert float(optimizer.lr) == 0.5
    optimizer.learning_rate.assign(0.25)
    assert float(optimizer.lr) == 0.25
    optimizer.lr = 0.125
    assert float(optimizer.learning_rate) == 0.125
    optimizer.learning_rate = tf.constant(2.0, tf.float64)
    assert float(optimizer.lr) == 2.0
    assert moved(optimizer) == 2.0


@pytest.mark.parametrize("rate", [1, np.float64(0.5), tf.constant(0.5), tf.Variable(0.5), np.array(0.5)])
def test_what_it_may_be_made_from(rate: Any) -> None:
    optimizer = SGD(rate)
    assert optimizer.learning_rate.dtype is tf.float32
    assert moved(optimizer) == float(rate)
    optimizer.lr = 0.25
    assert float(rate) != 0.25  # a Variable that was given is not the optimizer's own


def test_changing_it_takes_effect_in_a_function_without_recording_again() -> None:
    x = tf.Variable(0.0)
    optimizer = SGD(1.0)
    optimizer.build([x])
    step = tf.function(lambda: optimizer.apply_gradients([(tf.constant(1.0), x)]))
    step()
    optimizer.lr = 0.5
    step()
    step()
    assert float(x) == -2.0
    assert step.experimental_get_tracing_count() == 1


def test_changing_it_compiles_nothing(counting: Any) -> None:
    x = tf.Variable(0.0)
    optimizer = Adam(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), x)])
    with counting() as spent:
        for i in range(3):
            optimizer.lr = 1.0 / (i + 1)
            optimizer.apply_gradients([(tf.constant(1.0), x)])
    assert spent.compiled == 0


def test_a_schedule_is_followed() -> None:
    schedule = schedules.PiecewiseConstantDecay([0, 1], [1.0, 0.5, 0.25])
    x = tf.Variable(0.0)
    optimizer = SGD(schedule)
    assert optimizer._learning_rate is schedule
    assert float(optimizer.lr) == 1.0
    seen = []
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(1.0), x)])
        seen.append((float(x), float(optimizer.learning_rate)))
    assert seen == [(-1.0, 1.0), (-1.5, 0.5), (-1.75, 0.25)]


def test_a_schedule_is_followed_in_a_function() -> None:
    x = tf.Variable(0.0)
    optimizer = SGD(schedules.ExponentialDecay(1.0, 1, 0.5))
    optimizer.build([x])
    step = tf.function(lambda: optimizer.apply_gradients([(tf.constant(1.0), x)]))
    for _ in range(4):
        step()
    assert float(x) == -(1 + 0.5 + 0.25 + 0.125)
    assert float(optimizer.lr) == 0.125
    assert step.experimental_get_tracing_count() == 1


def test_a_schedule_cannot_be_overwritten_by_a_number() -> None:
    optimizer = SGD(schedules.ExponentialDecay(1.0, 1, 0.5))
    with pytest.raises(TypeError, match="created with a `LearningRateSchedule` object"):
        optimizer.lr = 0.1
    optimizer.learning_rate = schedules.ExponentialDecay(3.0, 1, 0.5)
    assert float(optimizer.lr) == 3.0


def test_a_number_may_give_way_to_a_schedule() -> None:
    optimizer = SGD(0.1)
    optimizer.learning_rate = schedules.ExponentialDecay(3.0, 1, 0.5)
    assert moved(optimizer) == 3.0


def test_a_function_is_called_at_every_step() -> None:
    given = iter([0.5, 0.25])
    x = tf.Variable(0.0)
    optimizer = SGD(lambda: next(given))
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(1.0), x)])
    assert float(x) == -0.75
    optimizer.learning_rate = 2.0
    optimizer.apply_gradients([(tf.constant(1.0), x)])
    assert float(x) == -2.75


def test_users_own_schedule_with_tf_ops() -> None:
    class Warmup(schedules.LearningRateSchedule):
        def __call__(self, step: Any) -> Any:
            step = tf.cast(step, tf.float32)
            return tf.math.rsqrt(tf.cast(64.0, tf.float32)) * tf.minimum(
                tf.math.rsqrt(step + 1.0), step * 4.0
            )

    x = tf.Variable(0.0)
    optimizer = SGD(Warmup())
    for _ in range(4):
        optimizer.apply_gradients([(tf.constant(1.0), x)])
    steps = np.arange(4, dtype="float32")
    assert float(x) == pytest.approx(-np.sum(0.125 * np.minimum((steps + 1) ** -0.5, steps * 4)), rel=1e-6)


def test_missing() -> None:
    with pytest.raises(ValueError, match="Missing learning rate"):
        _ = Optimizer("mine").learning_rate


def test_config_of_a_schedule() -> None:
    optimizer = Adam(schedules.CosineDecay(0.5, 10, alpha=0.1))
    config = optimizer.get_config()
    assert config["learning_rate"]["class_name"] == "CosineDecay"
    again = Adam.from_config(config)
    assert float(again._learning_rate(5)) == float(optimizer._learning_rate(5))
    assert again.get_config() == config


def test_it_has_the_dtype_of_floatx(monkeypatch: pytest.MonkeyPatch) -> None:
    from tapeflow.keras import config

    monkeypatch.setattr(config, "floatx", lambda: "float64")
    assert SGD(0.1).learning_rate.dtype is tf.float64
