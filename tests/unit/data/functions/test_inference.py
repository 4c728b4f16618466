"""What a function returns, told without an element where possible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset


def test_specs_are_told_without_reading_the_source() -> None:
    def never() -> Iterator[int]:
        raise AssertionError("read")
        yield 1

    dataset = Dataset.from_generator(never, tf.float32, (None, 4)).map(
        lambda x: (x[:, :2], tf.reduce_sum(x, 0))
    )
    first, second = dataset.element_spec
    assert (first.shape, second.shape) == ((None, 2), (4,))


def test_a_function_that_looks_at_values_is_called_on_the_first_elements() -> None:
    dataset = Dataset.range(5).map(lambda x: tf.zeros([2, int(x)]))
    assert dataset.element_spec == tf.TensorSpec((2, None), tf.float32)
    batched = Dataset.range(5).batch(2).map(lambda x: x * int(x[0]))
    assert batched.element_spec == tf.TensorSpec((None,), tf.int64)


def test_an_empty_source_tells_nothing_about_such_a_function() -> None:
    with pytest.raises(ValueError, match="at least one element to call the function on"):
        _ = Dataset.range(0).map(lambda x: tf.zeros([int(x)])).element_spec
    with pytest.raises(ValueError, match="flat_map expected at least one element"):
        _ = Dataset.range(0).flat_map(Dataset.range).element_spec


def test_a_function_that_wants_a_certain_size_is_called_too() -> None:
    dataset = Dataset.from_tensor_slices(np.zeros((8, 2))).batch(4).map(lambda x: tf.reshape(x, [2, 4]))
    assert dataset.element_spec.shape[1:] == (4,)


def test_batches_are_padded_to_their_largest_whatever_the_first_elements_are():
    words = Dataset.from_tensor_slices(["abc", "def", "ghi", "jk", "l", "mnop"])
    split = words.map(lambda w: tf.strings.unicode_split(w, "UTF-8"))
    assert [b.shape[1] for b in split.padded_batch(2)] == [3, 3, 4]
    assert [b.shape[1] for b in split.skip(3).padded_batch(2)] == [2, 4]
    assert [b.shape[1] for b in split.take(5).padded_batch(1)] == [3, 3, 3, 2, 1]
