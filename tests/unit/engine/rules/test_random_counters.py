"""The engine's rule 13: random numbers come from counters on the host."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tapeflow.engine import random


class TestRule13Counters:
    """Random state is a counter that can be saved; building and shape inference never advance it."""

    def test_shapes_and_failed_ops(self):
        counter = random.counter_for(None)
        before = counter.count
        tf.random.normal([3, 4]).shape  # noqa: B018
        assert counter.count == before + 1
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.random.normal([3]) + tf.ones([4])
        assert counter.count == before + 2

    def test_saved_and_restored(self):
        generator = tf.random.Generator.from_seed(1)
        generator.normal([2])
        saved = generator.state.numpy()
        expected = [generator.normal([2]).numpy().tolist() for _ in range(2)]
        generator.reset(saved)
        assert [generator.normal([2]).numpy().tolist() for _ in range(2)] == expected

    def test_generators_are_independent(self):
        a, b = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
        tf.random.normal([2])
        expected = a.normal([2]).numpy().tolist()
        tf.random.normal([2])
        assert b.normal([2]).numpy().tolist() == expected

    def test_recording_a_function_draws_as_often_as_calling_it(self):
        counter = random.counter_for(None)
        staged = tf.function(lambda: tf.random.normal([2]))
        for _ in range(3):
            before = counter.count
            staged()
            assert counter.count == before + 1
