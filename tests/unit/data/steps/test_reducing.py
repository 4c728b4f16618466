"""`group_by_reducer`: results, their order and specs, and what is refused. Expected values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

E = tf.data.experimental


def sums() -> Any:
    return E.Reducer(
        lambda key: (tf.constant(0, tf.int64), key),
        lambda state, x: (state[0] + x, state[1]),
        lambda total, key: {"sum": total, "key": key},
    )


def test_one_result_for_each_key_in_order() -> None:
    dataset = (
        tf.data.Dataset.range(10).map(lambda x: 9 - x).apply(E.group_by_reducer(lambda x: x % 3, sums()))
    )
    assert dataset.element_spec == {"sum": tf.TensorSpec((), tf.int64), "key": tf.TensorSpec((), tf.int64)}
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY
    expected = [{"sum": 18, "key": 0}, {"sum": 12, "key": 1}, {"sum": 15, "key": 2}]
    assert list(dataset.as_numpy_iterator()) == expected
    assert list(dataset.as_numpy_iterator()) == expected


def test_goes_on_where_an_iterator_was() -> None:
    def made() -> Any:
        return tf.data.Dataset.range(9).apply(E.group_by_reducer(lambda x: x % 3, sums()))

    iterator = iter(made())
    for count in range(3):
        again = iter(made())
        again.restore(iterator.state())
        assert [int(e["key"]) for e in again] == list(range(count, 3))
        next(iterator)


def test_refuses_keys_and_states_of_other_dtypes() -> None:
    dataset = tf.data.Dataset.range(3)
    with pytest.raises(ValueError, match="`key_func` must return a single `tf.int64` scalar"):
        list(dataset.apply(E.group_by_reducer(lambda x: tf.cast(x, tf.int32), sums())))
    changing = E.Reducer(lambda key: 0.0, lambda state, x: x, lambda state: state)
    with pytest.raises(TypeError, match="do not match the element types of the old state"):
        list(dataset.apply(E.group_by_reducer(lambda x: x, changing)))
    with pytest.raises(ValueError, match="at least one element"):
        _ = dataset.take(0).apply(E.group_by_reducer(lambda x: x, sums())).element_spec
    with pytest.raises(TypeError, match="key_func to be callable"):
        E.group_by_reducer(3, sums())  # pyright: ignore[reportArgumentType]
