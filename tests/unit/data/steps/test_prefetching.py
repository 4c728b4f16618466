"""`prefetch`: reads ahead, stops with its iterator, hands on what is raised."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset


def _generated(count: int, seen: list[int]) -> Dataset:
    def numbers() -> Iterator[int]:
        for i in range(count):
            seen.append(i)
            yield i

    return Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.int64))


def _wait_for(condition: Any) -> bool:
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return bool(condition())


def test_it_reads_ahead_and_no_further_than_told() -> None:
    seen: list[int] = []
    iterator = iter(_generated(50, seen).prefetch(3))
    assert int(next(iterator)) == 0
    assert _wait_for(lambda: len(seen) >= 4)
    time.sleep(0.05)
    assert len(seen) <= 5  # one taken, three ready, one in the making


def test_without_it_nothing_is_read_ahead() -> None:
    seen: list[int] = []
    next(iter(_generated(50, seen).batch(4)))
    assert len(seen) == 4


def test_an_error_comes_where_the_element_would_have() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("boom")

    iterator = iter(Dataset.from_generator(failing, tf.int64, ()).prefetch(2))
    assert int(next(iterator)) == 1
    with pytest.raises(KeyError, match="boom"):
        next(iterator)


@pytest.mark.parametrize("size", [1, 3, 64, tf.data.AUTOTUNE])
def test_quick_elements_that_come_in_blocks_all_come_before_the_error(size: int) -> None:
    def failing() -> Iterator[int]:
        yield from range(100)
        raise KeyError("boom")

    seen = []
    with pytest.raises(KeyError, match="boom"):
        for number in Dataset.from_generator(failing, tf.int64, ()).prefetch(size):
            seen.append(int(number))
    assert seen == list(range(100))


def test_autotuned_it_keeps_few_large_elements_and_more_small_ones() -> None:
    def ready(numbers: int) -> int:
        made: list[int] = []

        def arrays() -> Iterator[np.ndarray]:
            for i in range(40):
                made.append(i)
                yield np.zeros(numbers, np.float32)

        iterator = iter(Dataset.from_generator(arrays, tf.float32, (numbers,)).prefetch(tf.data.AUTOTUNE))
        next(iterator)
        _wait_for(lambda: len(made) >= 16)
        return len(made)

    assert ready(2) >= 16
    assert ready(3_000_000) <= 6


def test_a_dropped_iterator_ends_its_thread_and_generator() -> None:
    closed = threading.Event()

    def numbers() -> Iterator[int]:
        try:
            yield from range(1000)
        finally:
            closed.set()

    iterator = iter(Dataset.from_generator(numbers, tf.int64, ()).prefetch(2))
    next(iterator)
    del iterator
    gc.collect()
    assert closed.wait(5)
    assert _wait_for(lambda: not [t for t in threading.enumerate() if t.name == "tf.data prefetch"])


def test_a_thread_that_computes_does_not_disturb_training() -> None:
    """Elements computed in a thread while the main one trains: both as they would be alone."""
    rows = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)

    def trained(ahead: bool) -> tuple[np.ndarray, list[float]]:
        tf.random.set_seed(1)
        dataset = Dataset.from_tensor_slices(rows).map(lambda x: x * 2 + tf.random.normal([4])).batch(20)
        dataset = dataset.repeat(3).prefetch(2) if ahead else dataset.repeat(3)
        weight = tf.Variable(tf.ones([4, 1]))
        noise = []
        for batch in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((batch @ weight - 1.0) ** 2)
            weight.assign_sub(0.01 * tape.gradient(loss, weight))
            noise.append(float(tf.random.uniform([])))
        return weight.numpy(), noise

    alone, ahead = trained(False), trained(True)
    np.testing.assert_array_equal(alone[0], ahead[0])
    assert alone[1] == ahead[1]


def test_a_size_of_zero_is_no_thread() -> None:
    before = threading.active_count()
    iterator = iter(_generated(5, []).prefetch(0))
    next(iterator)
    assert threading.active_count() == before
