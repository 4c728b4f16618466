"""Iterators: the next element, the end, and what an iterator gives besides."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import data
from tapeflow.data import Dataset
from tapeflow.engine import errors


def test_next_until_the_end() -> None:
    iterator = iter(Dataset.range(2))
    assert isinstance(iterator, data.Iterator)
    assert iterator.element_spec == tf.TensorSpec((), tf.int64)
    assert [int(next(iterator)), int(iterator.get_next())] == [0, 1]
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()


def test_optional_elements() -> None:
    iterator = iter(Dataset.range(1))
    there, gone = iterator.get_next_as_optional(), iterator.get_next_as_optional()
    assert bool(there.has_value())
    assert int(there.get_value()) == 0
    assert not bool(gone.has_value())
    with pytest.raises(errors.InvalidArgumentError, match="does not have a value"):
        gone.get_value()


def test_elements_are_tensors_on_the_host() -> None:
    x, y = next(iter(Dataset.from_tensor_slices((np.ones((2, 3), np.float32), ["a", "b"]))))
    assert (x.dtype, x.shape, y.dtype) == (tf.float32, (3,), tf.string)
    assert x.host_value() is not None
    assert y.numpy() == b"a"


def test_two_iterators_do_not_disturb_each_other() -> None:
    dataset = Dataset.range(3)
    one, other = iter(dataset), iter(dataset)
    assert [int(next(i)) for i in (one, other, one, other)] == [0, 0, 1, 1]


def test_state_through_the_public_iterator() -> None:
    iterator = iter(Dataset.range(9).shuffle(4, seed=1))
    next(iterator)
    other = iter(Dataset.range(9).shuffle(4, seed=1))
    other.restore(iterator.state())
    assert [int(x) for x in other] == [int(x) for x in iterator]


def test_arrays_without_tensors() -> None:
    batches = list(Dataset.from_tensor_slices({"x": [1, 2, 3]}).batch(2)._array_iterator())
    assert [b["x"].tolist() for b in batches] == [[1, 2], [3]]
    assert type(batches[0]["x"]) is np.ndarray


def test_optionals_and_specs() -> None:
    made = tf.experimental.Optional.from_value({"a": 3, "b": tf.constant([1.0])})
    assert bool(made.has_value())
    assert int(made.get_value()["a"]) == 3
    assert made.element_spec == {"a": tf.TensorSpec((), tf.int32), "b": tf.TensorSpec((1,), tf.float32)}
    empty = tf.experimental.Optional.empty(tf.TensorSpec(()))
    assert not bool(empty.has_value())
    assert tf.type_spec_from_value(empty) == tf.OptionalSpec(tf.TensorSpec(()))
    iterator = iter(tf.data.Dataset.range(1))
    spec = tf.data.IteratorSpec(tf.TensorSpec((), tf.int64))
    assert tf.type_spec_from_value(iterator) == spec
    assert hash(tf.type_spec_from_value(iterator)) == hash(spec)
    assert spec.is_compatible_with(iterator)
    assert repr(spec) == "IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)"
    assert spec != tf.OptionalSpec(spec.element_spec)
    assert [bool(iterator.get_next_as_optional().has_value()) for _ in range(2)] == [True, False]
