"""States of iterators over pipelines in which a pass has yet to begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.data.pipe import next_iteration, set_next_iteration


def shuffled() -> Any:
    return tf.data.Dataset.range(12).shuffle(5)


def drawn(x: Any) -> Any:
    return tf.cast(x, tf.float32) + tf.random.uniform([])


PIPELINES: dict[str, Callable[[], Any]] = {
    "repeat": lambda: shuffled().repeat(3),
    "map in repeat": lambda: shuffled().map(drawn).repeat(3),
    "flat_map": lambda: tf.data.Dataset.range(3).flat_map(lambda i: shuffled()),
    "concatenate": lambda: shuffled().concatenate(shuffled().map(lambda x: x + 100)),
}


@pytest.mark.parametrize("taken", [0, 1, 11, 12, 13])
@pytest.mark.parametrize("name", PIPELINES)
def test_an_iterator_goes_on_anywhere(name: str, taken: int) -> None:
    dataset, other = PIPELINES[name](), PIPELINES[name]()
    for _ in iter(dataset):  # passes of an earlier iterator count, too
        pass
    iterator = iter(dataset)
    for _ in range(taken):
        next(iterator)
    state = iterator.state()
    again = iter(other)
    again.restore(state)
    assert [float(x) for x in again] == [float(x) for x in iterator]


def test_numbers_of_iterators_can_be_gone_on_with() -> None:
    number = next_iteration()
    assert next_iteration() == number
    iter(shuffled())
    assert next_iteration() == number + 1
    set_next_iteration(number)
    assert next_iteration() == number
