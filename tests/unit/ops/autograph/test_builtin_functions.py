"""Python's built-in functions on tensors of a record."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def _staged() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_print_shows_what_is_known_while_a_call_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any, pair: Any) -> Any:
        print("recording", x, pair[1], x * 2, 3)  # noqa: T201
        return x

    for _ in range(2):
        f(tf.constant(1.0), (tf.constant(2), tf.constant([3])))
    assert capsys.readouterr().out == (
        'recording Tensor("x:0", shape=(), dtype=float32) Tensor("pair:0", shape=(1,), dtype=int32) '
        'Tensor("Multiply:0", shape=(), dtype=float32) 3\n'
    )


def test_print_of_a_known_tensor_shows_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print(tf.constant(3), sep="")  # noqa: T201
        return x

    f(tf.constant(1.0))
    assert capsys.readouterr().out == "tf.Tensor(3, shape=(), dtype=int32)\n"


def test_casts() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return int(x), float(int(x)), bool(x), int("3"), float(2)

    found = f(tf.constant(2.7))
    assert [t.dtype for t in found] == [tf.int32, tf.float32, tf.bool, tf.int32, tf.float32]
    assert [float(t) for t in found] == [2.0, 2.0, 1.0, 3.0, 2.0]


def test_any_and_all() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return any(x > 0), all(x > 0), any([False, 1]), all([])

    assert [bool(t) for t in f(tf.constant([1.0, -1.0]))] == [True, False, True, True]


def test_range_enumerate_and_zip_of_python_values_stay_pythons() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for i, (a, b) in enumerate(zip([1, 2], (3, 4), strict=True)):
            assert type(i) is int
            x = x * a + b
        return x + len(range(3))

    assert float(f(tf.constant(1.0))) == 15.0


def test_zip_of_unequal_lengths() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        total = tf.zeros(())
        for a, i in zip(x, tf.range(n)):  # noqa: B905
            total += a * tf.cast(i, tf.float32)
        for i, a in enumerate(tf.range(2, 9, 3), start=1):
            total += tf.cast(i * a, tf.float32)
        return total

    assert float(f(tf.constant([1.0, 2.0, 3.0]), tf.constant(2))) == 2.0 + 2 + 10 + 24
    assert float(f(tf.constant([1.0, 2.0, 3.0]), tf.constant(9))) == 2.0 + 6 + 2 + 10 + 24


def _sized(x: Any) -> Any:
    if x > 1:
        return x * 10
    return x


def test_max_min_and_sorted() -> None:
    @tf.function
    def f(x: Any, y: Any, v: Any) -> Any:
        return max(x, y), min(x, y, 0.5), max(v), min([x, y]), max(1, 2), sorted([2, 1])[0]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = f(tf.constant(3.0), tf.constant(2.0), tf.constant([1.0, 5.0]))
    assert [float(t) for t in found] == [3.0, 0.5, 5.0, 2.0, 2.0, 1.0]


def test_sorted_of_a_vector() -> None:
    @tf.function
    def f(v: Any) -> Any:
        return sorted(v), sorted(v, reverse=True), sorted(v, key=lambda x: -x * x)

    found = f(tf.constant([2.0, -3.0, 1.0]))
    assert [t.numpy().tolist() for t in found] == [[-3, 1, 2], [2, 1, -3], [-3, 2, 1]]


def test_functions_given_to_map_filter_and_reduce_are_converted() -> None:
    @tf.function
    def f(x: Any) -> Any:
        kept = list(filter(lambda k: k > 1, [1, 2, 3]))
        return *map(_sized, [x, x * 2]), functools.reduce(lambda a, b: a + _sized(b), [x, x]), len(kept)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [float(t) for t in f(tf.constant(1.0))] == [1.0, 20.0, 2.0, 2.0]


def test_next_at_the_end_of_a_dataset() -> None:
    @tf.function
    def f(iterator: Any) -> Any:
        return next(iterator)

    iterator = iter(tf.data.Dataset.range(2))
    with pytest.warns(UserWarning, match="Python takes an element of a dataset"):
        assert [int(f(iterator)), int(f(iterator))] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        f(iterator)
    assert next(iterator, None) is None
