"""`filter`: what is kept, in blocks and one by one, and how far the source is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset


@pytest.mark.parametrize("size", [1, 7, 40, 300])
def test_blocks_keep_what_elements_keep(size: int) -> None:
    rows = np.arange(300)
    dataset = Dataset.from_tensor_slices((rows, -rows)).filter(lambda x, y: x % 3 + y % 2 == 1).batch(size)
    found = np.concatenate([x for x, _ in dataset.as_numpy_iterator()])
    np.testing.assert_array_equal(found, rows[rows % 3 + -rows % 2 == 1])


def test_python_may_look_at_values() -> None:
    dataset = Dataset.range(50).filter(lambda x: bool(x > 40)).batch(20)
    assert next(iter(dataset)).numpy().tolist() == list(range(41, 50))


def test_elements_that_are_made_by_reading_are_read_no_further_than_need_be() -> None:
    seen: list[int] = []

    def numbers() -> Iterator[int]:
        for i in range(100):
            seen.append(i)
            yield i

    dataset = Dataset.from_generator(numbers, tf.int64, ()).filter(lambda x: x % 2 == 0)
    next(iter(dataset.batch(3)))
    assert seen == [0, 1, 2, 3, 4]


def test_draws_of_a_predicate_are_made_for_each_element() -> None:
    kept = list(Dataset.range(200).filter(lambda x: tf.random.uniform([]) < 0.5))
    assert 50 < len(kept) < 150


def test_a_predicate_is_not_called_again_for_a_block() -> None:
    calls: list[Any] = []

    def positive(x: Any) -> Any:
        calls.append(x)
        return x > 10

    assert len(list(Dataset.range(500).filter(positive).batch(100))) == 5
    assert len(calls) <= 2
