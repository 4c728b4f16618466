"""Tests for tapeflow.compat.inner.training: what packages import from Keras's module of training."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.compat.inner.training import _minimum_control_deps, reduce_per_replica


def test_values_of_replicas_become_one() -> None:
    strategy = tf.distribute.get_strategy()
    found = reduce_per_replica({"a": tf.constant([1.0, 2.0])}, strategy, reduction="concat")
    np.testing.assert_array_equal(found["a"], [1.0, 2.0])


class TwoReplicas:
    """As much of a strategy as the reduction asks for."""

    def experimental_local_results(self, value: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return value, value + 10.0


def test_each_reduction() -> None:
    value, strategy = tf.constant([1.0, 2.0]), TwoReplicas()
    np.testing.assert_array_equal(reduce_per_replica(value, strategy), [1.0, 2.0])
    np.testing.assert_array_equal(reduce_per_replica(value, strategy, "concat"), [1.0, 2.0, 11.0, 12.0])
    np.testing.assert_array_equal(reduce_per_replica(value, strategy, "sum"), [12.0, 14.0])
    with pytest.raises(ValueError, match="expected 'first', 'sum' or 'concat'; got reduction='mean'"):
        reduce_per_replica(value, strategy, "mean")


def test_steps_wait_for_nothing() -> None:
    with tf.control_dependencies(_minimum_control_deps(tf.constant(1.0))):
        assert float(tf.constant(2.0)) == 2.0
