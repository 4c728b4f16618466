"""`cache`: the first full pass is kept, a broken-off one is not, and functions run once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tapeflow as tf
from tapeflow.data import Dataset


def test_a_source_is_read_once() -> None:
    begun = []

    def numbers() -> Iterator[int]:
        begun.append(1)
        yield from range(3)

    dataset = Dataset.from_generator(numbers, tf.int64, ()).cache()
    for _ in range(3):
        assert [int(x) for x in dataset] == [0, 1, 2]
    assert len(begun) == 1


def test_a_pass_that_is_broken_off_keeps_nothing() -> None:
    begun = []

    def numbers() -> Iterator[int]:
        begun.append(1)
        yield from range(3)

    dataset = Dataset.from_generator(numbers, tf.int64, ()).cache()
    next(iter(dataset))
    assert [int(x) for x in dataset] == [0, 1, 2]
    assert len(begun) == 2


def test_the_order_of_the_first_pass_stays() -> None:
    dataset = Dataset.range(50).shuffle(50).cache()
    first = [int(x) for x in dataset]
    assert [int(x) for x in dataset] == first


def test_a_function_runs_once_for_each_element() -> None:
    calls: list[int] = []

    def seen(x: Any) -> Any:
        calls.append(int(x))
        return x

    dataset = Dataset.range(20).map(seen).cache().shuffle(20).batch(20)
    list(dataset)
    called = calls.count(3)
    list(dataset)
    assert calls.count(3) == called


def test_what_a_recorded_function_computed_is_kept() -> None:
    scale = tf.Variable(1.0)
    dataset = Dataset.range(20).map(lambda x: tf.cast(x, tf.float32) * scale).cache()
    first = next(iter(dataset.batch(20))).numpy().tolist()
    list(dataset)
    scale.assign(2.0)
    assert next(iter(dataset.batch(20))).numpy().tolist() == first


def test_random_elements_are_kept() -> None:
    dataset = Dataset.range(20).map(lambda x: tf.random.uniform([])).cache()
    first = [float(x) for x in dataset]
    assert [float(x) for x in dataset] == first


def test_who_reads_exactly_as_many_as_there_are_has_read_all() -> None:
    """As `fit` does, which knows how many batches there are."""
    calls = []

    def count(x: Any) -> Any:
        calls.append(float(x))  # Python reads a value: called for each element
        return x

    for dataset in (
        Dataset.range(6).map(count).cache().batch(2),
        Dataset.range(6).map(count).batch(2).cache(),
    ):
        calls.clear()
        for _ in range(3):
            iterator = iter(dataset)
            for _ in range(3):
                next(iterator)
        assert len(calls) == 6
