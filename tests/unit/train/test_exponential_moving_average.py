"""`tf.train.ExponentialMovingAverage`. Expected values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, [1.29, 2.145]), ({"num_updates": 3}, [2.597633, 2.798816]), ({"zero_debias": True}, [1.29, 2.145])],
    ids=["plain", "num_updates", "zero_debias"],
)
def test_follows_its_variables(options: Any, expected: list[float]) -> None:
    averages = tf.train.ExponentialMovingAverage(0.9, **options)
    variable = tf.Variable([1.0, 2.0], name="v")
    for step in [[1.0, 0.5], [1.0, 0.5], [0.0, 0.0]]:
        averages.apply([variable])
        variable.assign_add(step)
    found = averages.average(variable)
    assert found is not None
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    assert not found.trainable
    assert averages.average_name(variable) == "v/ExponentialMovingAverage"
    assert list(averages.variables_to_restore()) == ["v/ExponentialMovingAverage"]


def test_inside_a_function_begins_with_the_value_before() -> None:
    averages, weight = tf.train.ExponentialMovingAverage(0.5), tf.Variable(0.0)

    @tf.function
    def step() -> None:
        weight.assign_add(1.0)
        averages.apply([weight])

    for _ in range(3):
        step()
    assert float(averages.average(weight)) == 2.125  # pyright: ignore[reportArgumentType]


def test_wrong_arguments_raise() -> None:
    averages = tf.train.ExponentialMovingAverage(0.9)
    assert averages.average(tf.Variable(1.0)) is None
    with pytest.raises(TypeError, match="The variables must be half, float, or double"):
        averages.apply([tf.Variable(1)])
    with pytest.raises(TypeError, match="expected a list of Variables; got None"):
        averages.apply()
