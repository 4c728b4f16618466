"""Integer arguments that decide sizes: a record for each of their values, and no trace of its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine.functions.sizes import MOST_VALUES


@pytest.fixture
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.usefixtures("no_warnings")
def test_an_argument_is_a_size() -> None:
    runs = []

    @tf.function
    def f(n: Any) -> Any:
        runs.append(1)
        return tf.zeros([n, 2]), tf.ones([n // 2 + 1])

    found = [f(tf.constant(n)) for n in (3, 4, 3, 4)]
    assert [(a.shape, b.shape) for a, b in found] == [((3, 2), (2,)), ((4, 2), (3,))] * 2
    assert f.experimental_get_tracing_count() == 1
    assert len(runs) == 2


@pytest.mark.usefixtures("no_warnings")
def test_the_size_of_an_array_and_the_turns_of_its_loop() -> None:
    @tf.function
    def powers(x: Any, n: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=n + 1)
        for i in tf.range(n + 1):
            found = found.write(i, x)
            x = x * 2.0
        return found.stack()

    x = tf.constant(1.0)
    assert powers(x, tf.constant(2)).numpy().tolist() == [1, 2, 4]
    assert powers(x, tf.constant(1)).numpy().tolist() == [1, 2]
    for n, slope in ((2, 7.0), (1, 3.0), (2, 7.0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(powers(x, tf.constant(n)))
        assert float(tape.gradient(total, x)) == slope


@pytest.mark.usefixtures("no_warnings")
def test_another_argument_is_no_size() -> None:
    @tf.function
    def f(n: Any, k: Any) -> Any:
        return tf.zeros([n]) + tf.cast(k, tf.float32)

    assert [f(tf.constant(2), tf.constant(k)).numpy().tolist() for k in (1, 2)] == [[1, 1], [2, 2]]


@pytest.mark.usefixtures("no_warnings")
def test_an_array_that_grows_for_as_many_turns_as_an_argument_says() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            x = x * 2.0
            found = found.write(i, x)
        return found.stack()

    assert [f(tf.constant(1.0), tf.constant(n)).numpy().tolist() for n in (2, 3)] == [[2, 4], [2, 4, 8]]


def test_a_variable_is_read_in_every_call() -> None:
    n = tf.Variable(2)

    @tf.function
    def f() -> Any:
        return tf.zeros([n])

    with pytest.warns(UserWarning, match="reads the value of a tensor"):
        assert f().shape == (2,)
    n.assign(3)
    assert f().shape == (3,)


def test_a_random_number_is_drawn_in_every_call() -> None:
    @tf.function
    def f() -> Any:
        return tf.zeros([tf.random.uniform((), 1, 1000, tf.int32)])

    with pytest.warns(UserWarning, match="reads the value of a tensor"):
        first = f().shape
    assert any(f().shape != first for _ in range(5))


def test_a_loop_that_cannot_be_recorded_is_not_recorded_for_a_number_of_turns() -> None:
    @tf.function
    def f(n: Any) -> Any:
        found = []
        for i in tf.range(n):
            found.append(i)
        return len(found)

    with pytest.warns(UserWarning, match="it changes a Python list. Collect tensors in a tf.TensorArray"):
        assert int(f(tf.constant(3))) == 3
    assert int(f(tf.constant(4))) == 4


def test_many_values_are_left_to_python() -> None:
    @tf.function
    def f(n: Any) -> Any:
        return tf.zeros([n])

    for n in range(MOST_VALUES):
        assert f(tf.constant(n)).shape == (n,)
    with pytest.warns(UserWarning, match="run as plain Python"):
        assert f(tf.constant(MOST_VALUES)).shape == (MOST_VALUES,)
    assert f(tf.constant(99)).shape == (99,)
