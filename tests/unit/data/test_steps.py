"""Transforms of many datasets, of windows and with a memory: what is wrong with their arguments, and laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset
from tapeflow.engine import errors

experimental = tf.data.experimental


def _all(dataset: Dataset) -> list[Any]:
    return [np.asarray(e).tolist() for e in dataset]


def test_samples_follow_their_weights() -> None:
    both = [Dataset.from_tensors(np.int64(i)).repeat() for i in (0, 1)]
    drawn = _all(Dataset.sample_from_datasets(both, [0.25, 0.75], seed=1).take(2000))
    assert abs(np.mean(drawn) - 0.75) < 0.04
    ended = Dataset.sample_from_datasets(
        [Dataset.range(3), both[1].take(50)], seed=1, stop_on_empty_dataset=True
    )
    assert len(_all(ended)) < 53


def test_resampling_evens_out_classes() -> None:
    rows = Dataset.from_tensor_slices(np.arange(800) % 10 == 0).map(lambda x: tf.cast(x, tf.int32))
    for initial in (None, [0.9, 0.1]):
        found = rows.rejection_resample(lambda x: x, [0.5, 0.5], initial, seed=1)
        assert abs(np.mean([int(x) for _, x in found]) - 0.5) < 0.12


def test_random_numbers_again_and_anew() -> None:
    same = Dataset.random(seed=1).take(4)
    assert _all(same) == _all(same)
    anew = Dataset.random(seed=1, rerandomize_each_iteration=True).take(4)
    assert _all(anew) != _all(anew)
    assert all(0 <= x < 2**32 for x in _all(same))


def test_older_spellings() -> None:
    numbers = Dataset.range(6)
    assert _all(numbers.apply(experimental.unique())) == list(range(6))
    assert _all(numbers.apply(experimental.enumerate_dataset(2)).map(lambda i, x: i - x)) == [2] * 6
    assert len(_all(numbers.apply(experimental.map_and_batch(lambda x: x, 4)))) == 2
    assert len(_all(numbers.apply(experimental.shuffle_and_repeat(3, 2)))) == 12
    assert int(experimental.at(numbers, 4)) == 4
    assert _all(experimental.from_list([{"a": 1}, {"a": 2}]).map(lambda d: d["a"])) == [1, 2]
    assert _all(experimental.Counter(2).take(2)) == [2, 3]
    assert bool(experimental.get_next_as_optional(iter(numbers)).has_value())
    assert experimental.get_structure(numbers) == numbers.element_spec
    assert _all(numbers.apply(experimental.prefetch_to_device("/cpu:0"))) == list(range(6))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda d: Dataset.choose_from_datasets([], d), ValueError, "should not be empty"),
        (lambda d: Dataset.choose_from_datasets([d], d.batch(2)), TypeError, "scalar `tf.int64` tensors"),
        (lambda d: Dataset.choose_from_datasets([d, d.enumerate()], d), TypeError, "incompatible elements"),
        (
            lambda d: _all(Dataset.choose_from_datasets([d], d)),
            errors.InvalidArgumentError,
            "selector index out of",
        ),
        (lambda d: Dataset.sample_from_datasets([d, d], [1.0]), ValueError, "must have the same length"),
        (lambda d: Dataset.sample_from_datasets([d, d], [0.0, 0.0]), ValueError, "a weight above zero"),
        (lambda d: d.group_by_window(lambda x: x, lambda k, w: w), ValueError, "either must be passed"),
        (lambda d: d.group_by_window(1, lambda k, w: w, 2), TypeError, "key_func to be callable"),
        (
            lambda d: _all(d.group_by_window(lambda x: tf.cast(x, tf.int32), lambda k, w: w, 2)),
            ValueError,
            "must return a single `tf.int64` scalar",
        ),
        (
            lambda d: _all(d.group_by_window(lambda x: x, lambda k, w: k, 1)),
            TypeError,
            "return a `Dataset` object",
        ),
        (
            lambda d: d.take(0).group_by_window(lambda x: x, lambda k, w: w, 1).element_spec,
            ValueError,
            "at least one element",
        ),
        (
            lambda d: d.bucket_by_sequence_length(lambda x: x, [1], [1]),
            ValueError,
            "must equal `len\\(bucket_boundaries\\) \\+ 1`",
        ),
        (
            lambda d: d.bucket_by_sequence_length(lambda x: x, [2, 1], [1] * 3),
            ValueError,
            "growing boundaries",
        ),
        (
            lambda d: _all(
                d.bucket_by_sequence_length(lambda x: x, [1], [1, 1], pad_to_bucket_boundary=True)
            ),
            errors.InvalidArgumentError,
            "elements must have length < max",
        ),
        (
            lambda d: _all(d.scan(np.int64(0), lambda s, x: s)),
            TypeError,
            "a pair of the new state and an element",
        ),
        (lambda d: _all(d.scan(0, lambda s, x: (x, x))), TypeError, "a state like initial_state"),
        (lambda d: _all(d.take_while(lambda x: x)), ValueError, "`predicate` must return a `tf.bool`"),
        (lambda d: d.enumerate().unique(), TypeError, "elements of one tensor"),
        (lambda d: d.batch(2).rebatch(0), errors.InvalidArgumentError, "must be greater than zero"),
        (
            lambda d: _all(d.map(lambda x: tf.range(x)).sparse_batch(4, [1])),
            errors.DataLossError,
            "no larger than row_shape",
        ),
        (
            lambda d: d.map(lambda x: tf.range(x)).ragged_batch(2).padded_batch(2),
            TypeError,
            "Use batch for ragged",
        ),
        (
            lambda d: _all(d.apply(experimental.assert_cardinality(3))),
            errors.FailedPreconditionError,
            "contained more than 3",
        ),
        (
            lambda d: _all(d.apply(experimental.assert_cardinality(-1))),
            errors.FailedPreconditionError,
            "but contained 4",
        ),
        (lambda d: _all(d.rejection_resample(lambda x: x, [0.5, 0.5])), ValueError, "a class below 2"),
    ],
)
def test_wrong_datasets_and_arguments_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(Dataset.range(4))


def test_a_state_with_ragged_elements_is_plain() -> None:
    """So that it can be written to a file."""
    rows = tf.ragged.constant([[1], [2, 3], [], [4]])

    def make() -> Dataset:
        return Dataset.from_tensor_slices(rows).batch(2).shuffle(2, seed=1)

    iterator = make()._array_iterator()
    first = next(iterator)
    state = iterator.state()
    assert all(not isinstance(leaf, (tf.RaggedTensor, tf.Tensor)) for leaf in _leaves(state))
    other = make()._array_iterator()
    other.restore(state)
    assert sorted([first.to_list(), *[e.to_list() for e in other]]) == [[[], [4]], [[1], [2, 3]]]


def _leaves(state: Any) -> list[Any]:
    if isinstance(state, dict):
        return [leaf for v in state.values() for leaf in _leaves(v)]
    if isinstance(state, (list, tuple)) or (isinstance(state, np.ndarray) and state.dtype == object):
        return [
            leaf for v in (state if not isinstance(state, np.ndarray) else state.flat) for leaf in _leaves(v)
        ]
    return [state]


def test_interleaving_by_its_old_name() -> None:
    def twice(n: Any) -> Any:
        return tf.data.Dataset.from_tensors(n * 10).repeat(2)

    found = tf.data.Dataset.range(3).apply(tf.data.experimental.parallel_interleave(twice, cycle_length=2))
    assert list(found.as_numpy_iterator()) == [0, 10, 0, 10, 20, 20]  # as in TensorFlow 2.21
