"""The law of shuffle: reproducible, within the buffer, fair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset
from tapeflow.engine import errors


def _order(dataset: Dataset) -> list[int]:
    return [int(x) for x in dataset.as_numpy_iterator()]


def test_the_same_seeds_give_the_same_orders() -> None:
    orders = []
    for _ in range(2):
        tf.random.set_seed(7)
        dataset = Dataset.range(50).shuffle(50)
        orders.append([_order(dataset), _order(dataset)])
    assert orders[0] == orders[1]


def test_an_own_seed_is_enough() -> None:
    assert _order(Dataset.range(50).shuffle(50, seed=3)) == _order(Dataset.range(50).shuffle(50, seed=3))
    assert _order(Dataset.range(50).shuffle(50, seed=3)) != _order(Dataset.range(50).shuffle(50, seed=4))


def test_the_global_seed_counts_beside_an_own_one() -> None:
    tf.random.set_seed(1)
    one = _order(Dataset.range(50).shuffle(50, seed=3))
    tf.random.set_seed(2)
    assert _order(Dataset.range(50).shuffle(50, seed=3)) != one


def test_two_datasets_without_a_seed_differ() -> None:
    tf.random.set_seed(1)
    assert _order(Dataset.range(50).shuffle(50)) != _order(Dataset.range(50).shuffle(50))


def test_each_pass_has_its_own_order_unless_asked_not_to() -> None:
    fresh = Dataset.range(50).shuffle(50, seed=3)
    assert _order(fresh) != _order(fresh)
    fixed = Dataset.range(50).shuffle(50, seed=3, reshuffle_each_iteration=False)
    assert _order(fixed) == _order(fixed)


def test_repeating_shuffles_each_time() -> None:
    order = _order(Dataset.range(50).shuffle(50, seed=3).repeat(2))
    assert order[:50] != order[50:]
    assert sorted(order[:50]) == sorted(order[50:]) == list(range(50))


_PAIR = [Dataset.range(20), Dataset.range(20, 40)]


@pytest.mark.parametrize(
    "made",
    [
        lambda: Dataset.range(20).shuffle(9, seed=3),
        lambda: Dataset.random(3, rerandomize_each_iteration=True).take(20),
        lambda: Dataset.sample_from_datasets(_PAIR, seed=3, rerandomize_each_iteration=True).take(20),
    ],
    ids=["shuffle", "random", "sample_from_datasets"],
)
def test_how_far_an_iterator_has_read_does_not_change_the_next_one(made: Any) -> None:
    orders = []
    for count in (1, 50):
        dataset = made().repeat()
        before = iter(dataset)
        for _ in range(count):
            next(before)
        orders.append([int(x) for x in dataset.take(60)])
    assert orders[0] == orders[1]
    assert orders[0][:20] != orders[0][20:40] != orders[0][40:]


@pytest.mark.parametrize("size", [1, 2, 7, 49, 50, 51])
@pytest.mark.parametrize("block", [1, 8, 200])
def test_an_element_comes_no_earlier_than_the_buffer_allows(size: int, block: int) -> None:
    dataset = Dataset.range(50).shuffle(size, seed=1)
    order = np.concatenate(list(dataset.batch(block).as_numpy_iterator()))
    assert sorted(order.tolist()) == list(range(50))
    assert all(number < place + size for place, number in enumerate(order.tolist()))


def test_the_order_does_not_depend_on_how_many_are_asked_for_at_a_time() -> None:
    orders = [
        np.concatenate(list(Dataset.range(100).shuffle(9, seed=5).batch(n).as_numpy_iterator())).tolist()
        for n in (1, 4, 33, 100)
    ]
    assert all(order == orders[0] for order in orders)


@pytest.mark.parametrize(("count", "size"), [(4, 4), (8, 2)])
def test_the_first_element_is_drawn_fairly(count: int, size: int) -> None:
    dataset = Dataset.range(count).shuffle(size, seed=0).take(1).repeat(2000)
    drawn = np.bincount(np.array(_order(dataset)), minlength=size)
    assert len(drawn) == size
    assert np.abs(drawn - 2000 / size).max() < 5 * np.sqrt(2000 / size)


def test_a_buffer_works_as_drawing_one_by_one_would() -> None:
    """The block-wise draw against the plain loop that it stands for."""
    from tapeflow.data.pipe import Iteration
    from tapeflow.data.steps.shuffling import generator_for

    pipe = Dataset.range(200).shuffle(10, seed=5)._pipe
    random = generator_for(*pipe.seed[:2], 0)  # pyright: ignore[reportAttributeAccessIssue]
    buffer, expected = list(range(10)), []
    for fresh in range(10, 200):
        place = int(random.random() * 10)
        expected.append(buffer[place])
        buffer[place] = fresh
    expected += [buffer[i] for i in random.permutation(10)]
    assert [int(h) for h in pipe.stream(Iteration()).take(200)] == expected


def test_a_buffer_size_must_be_positive() -> None:
    with pytest.raises(
        errors.InvalidArgumentError, match="buffer_size must be greater than zero.*got buffer_size=0"
    ):
        Dataset.range(3).shuffle(0)


def test_a_seed_must_be_an_integer() -> None:
    with pytest.raises((TypeError, errors.InvalidArgumentError), match="seed"):
        Dataset.range(3).shuffle(3, seed=1.5)
