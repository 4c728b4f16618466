"""`experimental_get_tracing_count` and Python's prints are as in TensorFlow, whatever is recorded for other sizes.

The counts are TensorFlow's for the same calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

OPEN = [tf.TensorSpec([None], tf.float32)]
ones = tf.ones


def pair(a: int, b: int) -> tuple[Any, Any]:
    return tf.ones(a), tf.ones(b)


CASES: dict[str, tuple[list[tuple[Any, ...]], list[int], dict[str, Any]]] = {
    "numbers": ([(1,), (2,), (1,), (3,), (2,)], [1, 2, 2, 3, 3], {}),
    "scalars": ([(tf.constant(1),), (tf.constant(2),), (tf.constant(1.0),)], [1, 1, 2], {}),
    "shapes": ([(ones(n),) for n in (1, 2, 3, 2, 1, 4)], [1, 2, 3, 3, 3, 4], {}),
    "shapes reduced": (
        [(ones(n),) for n in (1, 2, 3, 2, 1, 4)],
        [1, 2, 2, 2, 2, 2],
        {"reduce_retracing": True},
    ),
    "two dimensions reduced": (
        [(ones(s),) for s in ((1, 3), (2, 3), (3, 3), (1, 3), (2, 4), (2, 5))],
        [1, 2, 2, 2, 3, 3],
        {"reduce_retracing": True},
    ),
    "ranks reduced": (
        [(ones(s),) for s in ((), 2, (2, 3), (2, 3, 4))],
        [1, 2, 2, 2],
        {"reduce_retracing": True},
    ),
    "dtypes reduced": (
        [(ones(2),), (ones(3),), (ones(2, tf.int32),), (ones(3, tf.int32),), (ones(4, tf.int32),)],
        [1, 2, 3, 4, 4],
        {"reduce_retracing": True},
    ),
    "numbers reduced": ([(1,), (2,), (3,), (1,)], [1, 2, 3, 3], {"reduce_retracing": True}),
    "pairs reduced": (
        [pair(1, 1), pair(2, 1), pair(2, 3), pair(4, 5), pair(1, 1)],
        [1, 2, 3, 3, 3],
        {"reduce_retracing": True},
    ),
    "lists reduced": (
        [([*pair(1, 2)],), ([*pair(2, 2)],), ([*pair(3, 2)],), ([*pair(3, 3)],), ([*pair(4, 3)],)],
        [1, 2, 2, 3, 3],
        {"reduce_retracing": True},
    ),
    "an open dimension": ([(ones(n),) for n in (1, 2, 3)], [1, 1, 1], {"input_signature": OPEN}),
    "an open rank": (
        [(ones(s),) for s in ((), 2, (2, 3))],
        [1, 1, 1],
        {"input_signature": [tf.TensorSpec(None)]},
    ),
    "arrays": (
        [(np.ones(3),), (np.zeros(3),), (np.ones(4),), (np.ones(3, np.float32),), (ones(3),)],
        [1, 1, 2, 3, 3],
        {},
    ),
    "keys of a dict": (
        [({"a": ones(1)},), ({"b": ones(1)},), ({"a": ones(1), "b": ones(1)},)],
        [1, 2, 3],
        {},
    ),
    "nesting": ([([ones(1), [ones(1)]],), ([[ones(1)], ones(1)],)], [1, 2], {}),
}


@pytest.mark.parametrize(("calls", "counts", "options"), CASES.values(), ids=CASES)
def test_counts(calls: Sequence[tuple[Any, ...]], counts: list[int], options: dict[str, Any]) -> None:
    function = tf.function(lambda *args: tf.constant(0), **options)
    if "input_signature" in options:
        function = tf.function(lambda x: tf.constant(0), **options)
    found = []
    for call in calls:
        function(*call)
        found.append(function.experimental_get_tracing_count())
    assert found == counts


def test_a_dict_with_other_keys_is_another_call() -> None:
    function = tf.function(lambda d: d["a"] * 2 if "a" in d else d["b"] * 3)
    assert float(function({"a": tf.constant(1.0)})) == 2.0
    assert float(function({"b": tf.constant(1.0)})) == 3.0


def test_defaults_and_names_do_not_matter() -> None:
    @tf.function
    def f(a, b=2.0, *, c=1):
        return tf.constant(0.0) + b

    calls: list[Callable[[], Any]] = [
        lambda: f(1, 2.0),
        lambda: f(1),
        lambda: f(a=1),
        lambda: f(b=2.0, a=1),
        lambda: f(1, c=1),
        lambda: f(1, c=2),
        lambda: f(1, b=3.0),
    ]
    found = []
    for call in calls:
        call()
        found.append(f.experimental_get_tracing_count())
    assert found == [1, 1, 1, 1, 1, 2, 3]


def test_variables_of_one_kind_share_a_trace_unless_one_is_passed_twice() -> None:
    v, w, u = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    add = tf.function(lambda a, b: a + b)
    found = []
    for a, b in ((v, v), (v, w), (w, v), (w, w), (u, w)):
        assert float(add(a, b)) == float(a) + float(b)
        found.append(add.experimental_get_tracing_count())
    assert found == [1, 2, 2, 2, 2]


def test_calls_inside_tapes_and_functions_count_as_others() -> None:
    inner = tf.function(lambda x: x * x)
    outer = tf.function(lambda x: inner(x) + inner(x))
    x = tf.constant(2.0)
    outer(x), inner(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = inner(x)
    assert float(tape.gradient(y, x)) == 4.0
    outer(tf.ones(2))
    counts = inner.experimental_get_tracing_count(), outer.experimental_get_tracing_count()
    assert counts == (2, 2)


def test_a_function_that_makes_variables_is_traced_twice() -> None:
    class Scale(tf.Module):
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(2.0)
            return self.v * x

    scale, found = Scale(), []
    for x in (tf.constant(1.0), tf.constant(2.0), tf.ones(2)):
        scale(x)
        found.append(scale.__call__.experimental_get_tracing_count())
    assert found == [2, 2, 3]


def test_a_trace_that_fails_does_not_count() -> None:
    @tf.function
    def f(x):
        if x.shape.rank:
            raise KeyError("no")
        return x

    f(tf.constant(1.0))
    for _ in range(2):
        with pytest.raises(KeyError):
            f(tf.ones(2))
    assert f.experimental_get_tracing_count() == 1


def test_python_prints_once_for_an_open_dimension(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function(input_signature=OPEN)
    def f(x):
        print("Tracing with", x)  # noqa: T201
        return x + 1

    for n in (2, 3, 4):
        assert f(tf.ones(n)).shape == (n,)
    assert capsys.readouterr().out == 'Tracing with Tensor("x:0", shape=(None,), dtype=float32)\n'


def test_a_concrete_function_traces_when_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def double(a):
        print("Tracing with", a)  # noqa: T201
        return a + a

    concrete = double.get_concrete_function(tf.TensorSpec(None, tf.string))
    assert capsys.readouterr().out == 'Tracing with Tensor("a:0", dtype=string)\n'
    assert [concrete(tf.constant(s)).numpy() for s in "ab"] == [b"aa", b"bb"]
    numbers = double.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert numbers.output_shapes == (None,)
    assert double(tf.ones(3)).shape == (3,)
    assert capsys.readouterr().out == 'Tracing with Tensor("a:0", shape=(None,), dtype=float32)\n'
    assert double.experimental_get_tracing_count() == 2
