"""The public face: lengths, texts of errors, looking at a dataset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import data
from tapeflow.data import Dataset
from tapeflow.data.pipe import Iteration
from tapeflow.engine import errors


def test_lengths() -> None:
    assert len(Dataset.range(5).batch(2)) == 3
    with pytest.raises(TypeError, match="^The dataset is infinite.$"):
        len(Dataset.range(5).repeat())
    with pytest.raises(TypeError, match="^The dataset length is unknown.$"):
        len(Dataset.range(5).filter(lambda x: x > 1))


def test_a_dataset_is_true_even_if_empty_or_endless() -> None:
    assert Dataset.range(0)
    assert Dataset.range(1).repeat()


def test_cardinality_is_a_tensor() -> None:
    found = data.experimental.cardinality(Dataset.range(5))
    assert (found.dtype, int(found)) == (tf.int64, 5)
    assert data.experimental.AUTOTUNE == data.AUTOTUNE == -1


def test_repr_shows_the_element_spec() -> None:
    spec = "TensorSpec(shape=(None,), dtype=tf.int64, name=None)"
    assert repr(Dataset.range(3).batch(2)) == f"<_BatchDataset element_spec={spec}>"
    assert repr(Dataset.from_tensor_slices([1])).startswith("<_TensorSliceDataset element_spec=")


def test_it_cannot_be_constructed_directly() -> None:
    with pytest.raises(TypeError, match="cannot be constructed directly; got .*from_tensor_slices"):
        Dataset([1, 2])  # pyright: ignore[reportArgumentType]


def test_arguments_may_be_tensors() -> None:
    dataset = Dataset.range(tf.constant(7)).shuffle(tf.constant(7)).repeat(tf.constant(2))
    assert len(dataset.skip(tf.constant(1)).take(np.int64(9)).batch(tf.constant(4))) == 3


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda d: d.batch(0),
            errors.InvalidArgumentError,
            "batch_size must be greater than zero; got batch_size=0",
        ),
        (lambda d: d.batch("a"), (TypeError, errors.InvalidArgumentError), "batch_size"),
        (lambda d: d.padded_batch(-1), errors.InvalidArgumentError, "batch_size must be greater than zero"),
        (
            lambda d: d.prefetch(-3),
            errors.InvalidArgumentError,
            "buffer_size must be greater than or equal to 0",
        ),
        (
            lambda d: d.map(abs, num_parallel_calls=0),
            errors.InvalidArgumentError,
            "num_parallel_calls must be greater than or equal to 1",
        ),
        (lambda d: d.window(0), errors.InvalidArgumentError, "size must be greater than zero"),
        (lambda d: d.shard(3, 3), errors.InvalidArgumentError, r"between 0 and 2 \(currently index = 3\)"),
        (lambda d: d.shard(0, 0), errors.InvalidArgumentError, "num_shards must be greater than zero"),
        (lambda d: d.filter(3), TypeError, "predicate to be callable; got predicate=3"),
        (lambda d: list(d.filter(lambda x: x)), ValueError, "must return a `tf.bool` scalar tensor"),
        (
            lambda d: list(d.flat_map(lambda x: x)),
            TypeError,
            "flat_map expected map_func to return a `Dataset`",
        ),
        (lambda d: list(d.interleave(lambda x: x)), TypeError, "interleave expected map_func to return"),
        (lambda d: d.interleave(Dataset.range, cycle_length=0), errors.InvalidArgumentError, "cycle_length"),
        (
            lambda d: d.apply(lambda d: 3),
            TypeError,
            "must return a `tf.data.Dataset` object; got <class 'int'>",
        ),
        (lambda d: d.concatenate(Dataset.from_tensors(1.0)), TypeError, "incompatible dataset elements"),
        (lambda d: d.concatenate(d.enumerate()), TypeError, "incompatible dataset elements"),
        (lambda d: list(d.unbatch()), ValueError, "unbatching a tensor is only supported for rank >= 1"),
        (lambda d: d.take(0).get_single_element(), errors.InvalidArgumentError, "dataset was empty"),
        (lambda d: d.get_single_element(), errors.InvalidArgumentError, "had more than one element"),
        (lambda d: d.window(2).batch(2).element_spec, TypeError, "a component that is a dataset.*flat_map"),
        (lambda d: list(d.window(2).batch(2)), TypeError, "a component that is a dataset.*flat_map"),
        (
            lambda d: d.reduce(0, lambda s, x: tf.cast(s, tf.int64) + x),
            TypeError,
            "a state like initial_state",
        ),
    ],
)
def test_wrong_arguments_of_transformations_raise(make: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        make(Dataset.range(3))


def test_shapes_that_cannot_be_batched() -> None:
    ragged = Dataset.from_generator(lambda: iter([np.zeros(2), np.zeros(3)]), tf.float32)
    text = r"different shapes in component 0. First element had shape \[2\] and element 1 had shape \[3\]"
    with pytest.raises(errors.InvalidArgumentError, match=text):
        list(ragged.batch(2))
    with pytest.raises(ValueError, match="`padded_shapes` argument because component 0 has unknown rank"):
        ragged.padded_batch(2)
    with pytest.raises(errors.DataLossError, match="pad to a smaller size than the input element"):
        list(ragged.padded_batch(2, padded_shapes=(2,)))
    known = Dataset.from_tensor_slices(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"padded shape \(2, 2\) is not compatible"):
        known.padded_batch(2, padded_shapes=(2, 2))
    with pytest.raises(TypeError, match="padded_shapes in the structure"):
        known.enumerate().padded_batch(2, padded_shapes={"a": (2,)})
    with pytest.raises(TypeError, match="padding_values of the components' dtypes; got 0.5"):
        Dataset.range(3).padded_batch(2, padding_values=0.5)


def test_components_to_unbatch_must_be_of_one_length() -> None:
    dataset = Dataset.from_tensors((np.zeros(2), np.zeros(3))).unbatch()
    with pytest.raises(errors.InvalidArgumentError, match="same batch size in each component"):
        list(dataset)


def test_reduce() -> None:
    count, total = Dataset.range(5).reduce((0, 0.0), lambda s, x: (s[0] + 1, s[1] + tf.cast(x, tf.float32)))
    assert (int(count), float(total)) == (5, 10.0)


def test_get_single_element() -> None:
    whole = Dataset.range(5).batch(5).get_single_element()
    assert whole.numpy().tolist() == [0, 1, 2, 3, 4]


def test_windows_are_datasets() -> None:
    windows = [list(w.as_numpy_iterator()) for w in Dataset.range(5).window(2)]
    assert windows == [[0, 1], [2, 3], [4]]
    pairs = Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2)
    assert repr(pairs.element_spec[0]) == (
        "DatasetSpec(TensorSpec(shape=(), dtype=tf.int32, name=None), TensorShape([]))"
    )
    assert [[int(v) for v in y] for _, y in pairs] == [[4, 5], [6]]


def test_a_batch_is_one_gather_of_the_source() -> None:
    from tapeflow.data.rows import ArrayRows

    rows = np.arange(40).reshape(20, 2)
    dataset = (
        Dataset.from_tensor_slices(rows)
        .shuffle(20, reshuffle_each_iteration=False)
        .repeat(2)
        .skip(3)
        .shard(2, 1)
    )
    assert isinstance(dataset._pipe.rows, ArrayRows)
    handles = dataset._pipe.stream(Iteration()).take(4)
    np.testing.assert_array_equal(next(dataset.batch(4).as_numpy_iterator()), rows[handles])


def test_batches_in_order_are_parts_of_the_source() -> None:
    dataset = Dataset.from_tensor_slices(np.zeros((20, 2)))
    (whole,) = dataset._pipe.rows.columns  # pyright: ignore[reportAttributeAccessIssue]
    assert all(np.shares_memory(batch, whole) for batch in dataset.batch(8)._array_iterator())
