"""`tf.TensorArray` as a list, in loops, under tapes, and what it refuses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def test_elements_are_written_and_read_by_index() -> None:
    array = tf.TensorArray(tf.float32, size=3)
    array = array.write(0, 1.0).write(tf.constant(2), [2.0][0])
    np.testing.assert_array_equal(array.stack(), [1, 0, 2])
    assert int(array.size()) == 3
    assert array.dtype is tf.float32
    assert array.element_shape == ()


def test_it_grows_if_it_may() -> None:
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in range(4):
        array = array.write(i, [i, i])
    assert array.stack().shape == (4, 2)
    assert array.concat().shape == (8,)
    np.testing.assert_array_equal(array.gather([3, 0]), [[3, 3], [0, 0]])


def test_it_is_filled_from_one_tensor() -> None:
    array = tf.TensorArray(tf.float32, 3).unstack([[1.0], [2.0], [3.0]])
    np.testing.assert_array_equal(array.read(1), [2])
    array = tf.TensorArray(tf.float32, 2).split([1.0, 2.0, 3.0], [1, 2])
    np.testing.assert_array_equal(array.read(1), [2, 3])
    array = tf.TensorArray(tf.float32, 3).scatter([2, 0], [5.0, 6.0])
    np.testing.assert_array_equal(array.stack(), [6, 0, 5])
    array.close()
    assert int(array.size()) == 0


@tf.function
def multiples(n: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=4)
    _, array = tf.while_loop(
        lambda i, _: i < 4,
        lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) * n)),
        (tf.constant(0), array),
    )
    return array.stack()


def test_a_while_loop_carries_it_in_one_program() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a read would warn: the function could not be staged
        np.testing.assert_array_equal(multiples(tf.constant(2.0)), [0, 2, 4, 6])
    before = tf.debugging.engine_counters()
    np.testing.assert_array_equal(multiples(tf.constant(3.0)), [0, 3, 6, 9])
    after = tf.debugging.engine_counters()
    assert after["dispatched"] - before["dispatched"] == 1
    assert after["compiled"] == before["compiled"]


def test_a_loop_reads_what_it_wrote() -> None:
    array = tf.TensorArray(tf.float32, 5, clear_after_read=False).write(0, 1.0)
    _, array = tf.while_loop(
        lambda i, _: i < 5, lambda i, a: (i + 1, a.write(i, a.read(i - 1) * 2.0)), (tf.constant(1), array)
    )
    np.testing.assert_array_equal(array.stack(), [1, 2, 4, 8, 16])


def test_a_loop_that_makes_it_longer_runs_in_python() -> None:
    _, array = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, a: (i + 1, a.write(i, i)),
        (tf.constant(0), tf.TensorArray(tf.int32, 0, dynamic_size=True)),
    )
    np.testing.assert_array_equal(array.stack(), [0, 1, 2])


@pytest.mark.parametrize("limit", [None, 5])
def test_gradients_go_through_loops(limit: int | None) -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        _, array = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, a: (i + 1, a.write(i, x[i] ** 2)),
            (tf.constant(0), tf.TensorArray(tf.float32, 3)),
            maximum_iterations=limit,
        )
        y = tf.reduce_sum(array.stack())
    np.testing.assert_allclose(tape.gradient(y, x), [2, 4, 6])


def read_twice() -> None:
    array = tf.TensorArray(tf.float32, 1).write(0, 1.0)
    array.read(0)
    array.read(0)


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda: tf.TensorArray(tf.float32), ValueError, "expected a size"),
        (lambda: tf.TensorArray(tf.float32, 1, handle=1), ValueError, "expected no handle"),
        (lambda: tf.TensorArray(tf.float32, 1).write(1, 1.0), tf.errors.OutOfRangeError, "dynamic_size=True"),
        (lambda: tf.TensorArray(tf.float32, 1).read(-1), tf.errors.OutOfRangeError, "index -1 but"),
        (
            lambda: tf.TensorArray(tf.float32, 1).write(0, tf.constant(1)),
            tf.errors.InvalidArgumentError,
            "trying to write dtype int32",
        ),
        (
            lambda: tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]),
            ValueError,
            "incompatible shape for value",
        ),
        (read_twice, tf.errors.InvalidArgumentError, "clear_after_read=False"),
        (lambda: tf.TensorArray(tf.float32, 1).stack(), ValueError, "nothing written there"),
        (lambda: tf.TensorArray(tf.float32, 1).unstack([1.0, 2.0]), ValueError, "Cannot unstack 2"),
        (
            lambda: tf.TensorArray(tf.float32, 1).split([1.0, 2.0], [1]),
            tf.errors.InvalidArgumentError,
            "sum of lengths",
        ),
        (
            lambda: tf.TensorArray(tf.float32, 1).split([1.0, 2.0], [1, 1]),
            tf.errors.InvalidArgumentError,
            "size of lengths",
        ),
        (
            lambda: tf.TensorArray(tf.float32, 1).write(0, 1.0).concat(),
            tf.errors.InvalidArgumentError,
            "saw a scalar shape",
        ),
        (lambda: tf.TensorArray(tf.float32, 1).grad("x"), NotImplementedError, "GradientTape"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_it_refuses(wrong: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        wrong()


def test_spec() -> None:
    spec = tf.TensorArraySpec([3], tf.float32, True)
    assert repr(spec) == "TensorArraySpec(TensorShape([3]), tf.float32, True, True)"
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[3])
    assert tf.type_spec_from_value(array) == spec == tf.TensorArraySpec.from_value(array)
    assert hash(spec) == hash(tf.TensorArraySpec.from_value(array))
    assert spec.is_compatible_with(array)
    assert not spec.is_compatible_with(tf.TensorArraySpec([4], tf.float32, True))
    assert spec.value_type is tf.TensorArray
    with pytest.raises(TypeError, match="TensorArraySpec.from_value expected a TensorArray"):
        tf.TensorArraySpec.from_value(3)  # pyright: ignore[reportArgumentType]


def test_a_recorded_loop_reads_an_array_from_outside() -> None:
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    given = tf.TensorArray(tf.float32, 3).unstack(rows)
    written = tf.TensorArray(tf.float32, 3, clear_after_read=False).write(0, 1.0).write(1, 2.0).write(2, 4.0)

    @tf.function
    def total(start: tf.Tensor) -> tf.Tensor:
        calls.append(1)

        def body(i: tf.Tensor, sum: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            turns.append(1)
            return i + 1, sum + given.read(i) * written.read(i)

        return tf.while_loop(lambda i, sum: i < 3, body, [0, start])[1]

    calls: list[int] = []
    turns: list[int] = []
    for start in (0.0, 1.0):
        assert total(tf.fill([2], start)).numpy().tolist() == [27.0 + start, 34.0 + start]
    assert len(calls) == 1
    assert len(turns) < 3
