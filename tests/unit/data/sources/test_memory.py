"""Sources: what they take, that they copy it, and generators."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset
from tapeflow.engine import errors

Point = collections.namedtuple("Point", ["x", "y"])


def test_what_is_given_is_copied() -> None:
    rows = np.zeros((3, 2), np.float32)
    dataset = Dataset.from_tensor_slices(rows)
    rows[:] = 1
    assert not np.any(next(dataset.batch(3).as_numpy_iterator()))


def test_what_is_handed_out_cannot_be_written_to() -> None:
    batch = next(Dataset.from_tensor_slices(np.zeros((3, 2))).batch(3).as_numpy_iterator())
    with pytest.raises(ValueError, match="read-only"):
        batch[0] = 1


def test_a_tensors_own_array_can() -> None:
    dataset = Dataset.from_tensor_slices(np.zeros((3, 2))).batch(3)
    array = next(iter(dataset)).numpy()
    array[:] = 1
    assert not np.any(next(iter(dataset)).numpy())


def test_named_tuples_stay() -> None:
    dataset = Dataset.from_tensor_slices(Point([1, 2], [3.0, 4.0]))
    element = next(iter(dataset))
    assert type(element) is Point
    assert int(element.x) == 1
    assert type(dataset.element_spec) is Point
    assert [int(p.x) for p in dataset.map(lambda p: Point(p.x * 2, p.y))] == [2, 4]


def test_dicts_keep_the_order_of_their_keys() -> None:
    element = next(iter(Dataset.from_tensor_slices({"b": [1], "a": [2]}).batch(1)))
    assert list(element) == ["b", "a"]


def test_variables_are_taken_as_they_are() -> None:
    variable = tf.Variable([1.0, 2.0])
    dataset = Dataset.from_tensor_slices(variable)
    variable.assign([5.0, 6.0])
    assert [float(x) for x in dataset] == [1.0, 2.0]


def test_unequal_lengths() -> None:
    with pytest.raises(ValueError, match="dimensions 5 and 4 are not compatible; got shapes"):
        Dataset.from_tensor_slices((np.zeros(5), np.zeros(4)))


def test_a_scalar_has_no_slices() -> None:
    with pytest.raises(ValueError, match="only supported for rank >= 1.*from_tensors"):
        Dataset.from_tensor_slices(3)


@pytest.mark.parametrize("make", [Dataset.from_tensor_slices, Dataset.from_tensors])
def test_nothing_is_no_element(make: Any) -> None:
    with pytest.raises((ValueError, errors.InvalidArgumentError), match="`element` should not be empty"):
        make(())


def test_a_generator_runs_anew_for_every_pass() -> None:
    begun = []

    def numbers() -> Iterator[int]:
        begun.append(1)
        yield from range(3)

    dataset = Dataset.from_generator(numbers, tf.int32, ())
    assert not begun
    for _ in range(2):
        assert [int(x) for x in dataset] == [0, 1, 2]
    assert len(list(dataset.repeat(2))) == 6
    assert len(begun) == 4


def test_a_generator_may_be_any_function_that_gives_an_iterable() -> None:
    dataset = Dataset.from_generator(lambda: [1, 2], output_types=tf.int32)
    assert [int(x) for x in dataset] == [1, 2]


def test_arguments_of_a_generator_are_numpys() -> None:
    seen: list[Any] = []

    def numbers(n: Any, s: Any, a: Any) -> Iterator[int]:
        seen.extend([type(n), type(s), type(a)])
        yield from range(n)

    dataset = Dataset.from_generator(numbers, tf.int32, (), args=(3, "q", [1.0]))
    assert len(list(dataset)) == 3
    assert seen == [np.int32, bytes, np.ndarray]


@pytest.mark.parametrize(
    ("value", "signature", "text"),
    [
        ([1, 2], tf.TensorSpec((), tf.int32), r"shape \(2,\) where an element of shape \(\) was expected"),
        ("a", tf.TensorSpec((), tf.int32), "could not be converted to the expected type.*int32.*was a"),
        (1, (tf.TensorSpec((), tf.int32),) * 2, "did not match the expected structure"),
        ({"b": 1}, {"a": tf.TensorSpec((), tf.int32)}, "did not match the expected structure"),
    ],
)
def test_what_is_yielded_must_fit(value: Any, signature: Any, text: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"`generator` yielded an element.*{text}"):
        list(Dataset.from_generator(lambda: iter([value]), output_signature=signature))


def test_what_a_generator_raises_comes_out() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("boom")

    with pytest.raises(KeyError, match="boom"):
        list(Dataset.from_generator(failing, tf.int32))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"generator": [1]}, "`generator` must be a Python callable"),
        ({}, "either the `output_signature` argument or the `output_types`"),
        (
            {"output_types": tf.int32, "output_signature": tf.TensorSpec((), tf.int32)},
            "`output_types` argument can not be used together",
        ),
        (
            {"output_shapes": (), "output_signature": tf.TensorSpec((), tf.int32)},
            "`output_shapes` argument can not be used together",
        ),
        ({"output_signature": tf.int32}, "must contain objects that are subclass of `tf.TypeSpec`"),
        ({"output_types": (tf.int32, tf.int32), "output_shapes": ()}, "output_shapes in the structure"),
    ],
)
def test_signatures_of_generators(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        Dataset.from_generator(**{"generator": lambda: iter([1]), **arguments})


def test_zip_takes_tuples_not_lists() -> None:
    with pytest.raises(TypeError, match="Python `list` is not supported.*Use a tuple"):
        Dataset.zip([Dataset.range(3)])
    with pytest.raises(TypeError, match="got both"):
        Dataset.zip(Dataset.range(3), datasets=Dataset.range(3))
    with pytest.raises(TypeError, match="got neither"):
        Dataset.zip()


def test_zip_reads_no_source_further_than_the_shortest() -> None:
    seen: list[int] = []

    def numbers() -> Iterator[int]:
        for i in range(10):
            seen.append(i)
            yield i

    zipped = Dataset.zip(Dataset.range(2), Dataset.from_generator(numbers, tf.int64, ()))
    assert len(list(zipped.batch(5))) == 1
    assert seen == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "text"), [((), "got 0"), ((1, 2, 3, 4), "got 4"), ((0, 5, 0), "non-zero")]
)
def test_ranges(arguments: Any, text: str) -> None:
    with pytest.raises((ValueError, errors.InvalidArgumentError), match=text):
        Dataset.range(*arguments)


def test_a_generator_of_ragged_and_sparse_tensors() -> None:
    rows, dense = tf.ragged.constant([[1], [2, 3]]), [[0, 1], [2, 0]]
    signature = (tf.RaggedTensorSpec([2, None], tf.int32), tf.SparseTensorSpec([2, 2], tf.int32))
    made = tf.data.Dataset.from_generator(
        lambda: iter([(rows, tf.sparse.from_dense(dense))] * 2), output_signature=signature
    )
    for ragged, sparse in made:
        assert ragged.to_list() == rows.to_list()
        assert tf.sparse.to_dense(sparse).numpy().tolist() == dense
    wrong = tf.data.Dataset.from_generator(lambda: iter([(1, 2)]), output_signature=signature)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="yielded an element that does not fit RaggedTensorSpec"
    ):
        next(iter(wrong))
