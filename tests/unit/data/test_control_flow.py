"""Functions of elements with Python control flow over tensors: recorded, and the same for every block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def pipe_of(dataset: Any) -> Any:
    return dataset._pipe


def augment(x: Any) -> Any:
    if tf.random.uniform(()) < 0.3:
        x = x + tf.random.normal(())
    elif x > 5:
        x = -x
    return x + tf.random.uniform(())


def test_a_map_with_branches_is_recorded() -> None:
    def choose(x: Any) -> Any:
        if x % 2 == 0:
            return x * 10
        return -x

    dataset = tf.data.Dataset.range(40).map(choose)
    assert pipe_of(dataset).recorded is not None
    wanted = [x * 10 if x % 2 == 0 else -x for x in range(40)]
    assert [int(x) for x in dataset] == wanted
    assert np.concatenate(list(dataset.batch(20).as_numpy_iterator())).tolist() == wanted


@pytest.mark.parametrize("batch", [1, 3, 20, 40])
def test_an_element_has_the_same_random_numbers_in_every_block(batch: int) -> None:
    def results(size: int) -> Any:
        tf.random.set_seed(4)
        dataset = tf.data.Dataset.from_tensor_slices(np.arange(40, dtype="float32")).map(augment)
        assert pipe_of(dataset).recorded is not None
        return np.concatenate(list(dataset.batch(size).as_numpy_iterator()))

    found, wanted = results(batch), results(40)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert len(set(found.tolist())) == 40


def test_elements_one_by_one_have_them_too() -> None:
    tf.random.set_seed(4)
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(30, dtype="float32")).map(augment)
    blocks = np.concatenate(list(dataset.batch(30).as_numpy_iterator()))
    tf.random.set_seed(4)
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(30, dtype="float32")).map(augment)
    np.testing.assert_allclose([float(x) for x in dataset], blocks, rtol=1e-6)


def test_a_filter_with_a_loop() -> None:
    def is_prime(n: Any) -> Any:
        found = n > 1
        d = tf.constant(2, tf.int64)
        while d * d <= n:
            if n % d == 0:
                found = False
                break
            d += 1
        return found

    dataset = tf.data.Dataset.range(60).filter(is_prime)
    assert [int(x) for x in dataset][:8] == [2, 3, 5, 7, 11, 13, 17, 19]


def test_loops_over_elements_of_unknown_shape_keep_their_shapes() -> None:
    def total(row: Any) -> Any:
        found = 0
        for x in row:
            found += x
        return found

    dataset = tf.data.Dataset.from_generator(
        lambda: iter([[1, 2], [3], [4, 5, 6]]), output_signature=tf.TensorSpec([None], tf.int32)
    ).map(total)
    assert [int(x) for x in dataset] == [3, 3, 15]
