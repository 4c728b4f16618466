"""Batches of which a process needs some rows: which step makes them, and what is computed."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data.sharing import shared_step
from tapeflow.engine.devices.placement import Share

PAIRS = tf.data.Dataset.range(10)


def test_shares_are_rows_of_replicas() -> None:
    assert Share(1, 3, 4).rows(8) == slice(2, 6)
    assert Share(1, 3, 4).rows(10) is None
    assert Share(0, 1, 2).rows(0) is None


@pytest.mark.parametrize(
    ("dataset", "is_shared"),
    [
        (PAIRS.batch(4), True),
        (PAIRS.map(lambda x: x + 1).batch(4).repeat(2).take(3).skip(1).prefetch(2), True),
        (PAIRS.batch(4).map(lambda x: x + 1), False),
        (PAIRS.batch(4).cache(), False),
        (PAIRS.batch(4).shuffle(3), False),
        (PAIRS.padded_batch(4), False),
        (PAIRS, False),
    ],
)
def test_the_step_that_is_shared(dataset: tf.data.Dataset, is_shared: bool) -> None:
    assert (shared_step(dataset._pipe) is not None) == is_shared


def test_other_rows_are_zeros_and_a_batch_that_cannot_be_divided_is_whole() -> None:
    batches = list(PAIRS.map(lambda x: x + 1).batch(4, drop_remainder=False)._array_iterator(Share(1, 2, 2)))
    assert [b.tolist() for b in batches] == [[0, 0, 3, 4], [0, 0, 7, 8], [0, 10]]
    batches = list(PAIRS.batch(5)._array_iterator(Share(0, 1, 2)))
    assert [b.tolist() for b in batches] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_strings_are_whole() -> None:
    [batch] = tf.data.Dataset.from_tensor_slices(["a", "b"]).batch(2)._array_iterator(Share(0, 1, 2))
    assert batch.tolist() == [b"a", b"b"]


def test_a_dataset_that_is_not_to_be_shared() -> None:
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    [batch] = PAIRS.batch(10).with_options(options)._array_iterator(Share(0, 1, 2))
    assert batch.tolist() == list(range(10))


def test_going_on_in_the_middle() -> None:
    dataset = PAIRS.shuffle(10, seed=1, reshuffle_each_iteration=False).batch(2).prefetch(3)
    whole = [b.tolist() for b in dataset._array_iterator()]
    first = dataset._array_iterator(Share(1, 2, 2))
    assert [next(first).tolist(), next(first).tolist()] == [[0, b[1]] for b in whole[:2]]
    other = dataset._array_iterator(Share(0, 1, 2))
    other.restore(first.state())
    np.testing.assert_array_equal(list(other), [[b[0], 0] for b in whole[2:]])
