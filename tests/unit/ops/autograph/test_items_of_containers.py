"""Items of dicts and lists, by a constant key, that branches and loops assign."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def _staged() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_a_dict_in_a_branch_and_a_loop() -> None:
    @tf.function
    def f(x: Any) -> Any:
        seen = {"a": x, "n": 0}
        if x > 0:
            seen["a"] = seen["a"] * 10
        for i in tf.range(3):
            seen["n"] += i
            if seen["a"] > 5:
                seen["a"] -= 1
        return seen

    for start, wanted in ((1, (7, 3)), (-1, (-1, 3))):
        found = f(tf.constant(start))
        assert (int(found["a"]), int(found["n"])) == wanted


def test_a_list_in_loops() -> None:
    @tf.function
    def f(n: Any) -> Any:
        pair = [tf.constant(1), tf.constant(1)]
        for _ in tf.range(n):
            pair[0], pair[1] = pair[1], pair[0] + pair[1]
        while pair[0] > 50:
            pair[0] = pair[0] - 7
        return pair

    assert [int(t) for t in f(tf.constant(10))] == [89 - 42, 144]


def test_gradients_go_through() -> None:
    @tf.function
    def f(x: Any) -> Any:
        state = {"x": x}
        for _ in tf.range(3):
            state["x"] = state["x"] * x
        return state["x"]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == 4 * 2.0**3


def test_a_key_that_a_loop_sets_first() -> None:
    @tf.function
    def f(v: Any) -> Any:
        logs = {}
        for x in v:
            logs["last"] = x * 2
        return logs

    assert int(f(tf.constant([1, 2, 3]))["last"]) == 6


def test_a_key_that_one_branch_sets() -> None:
    @tf.function
    def f(x: Any) -> Any:
        seen = {"a": x}
        if x > 0:
            seen["b"] = x
        return seen

    with pytest.raises(ValueError, match="must also be initialized in the else branch"):
        f(tf.constant(1))
