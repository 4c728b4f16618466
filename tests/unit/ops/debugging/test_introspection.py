"""tf.executing_eagerly and tf.is_tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.array.indexed_slices import IndexedSlices
from tapeflow.ops.debugging.introspection import executing_eagerly, is_tensor


def test_eager_code_and_loops() -> None:
    seen = [executing_eagerly()]
    tf.map_fn(lambda x: (seen.append(executing_eagerly()), x)[1], tf.constant([1.0]))
    tf.while_loop(lambda i: i < 1, lambda i: (seen.append(executing_eagerly()), [i + 1])[1], [tf.constant(0)])
    assert seen == [True, True, True]


def test_recorded_code() -> None:
    seen: list[bool] = []

    @tf.function
    def function(x: Any) -> Any:
        seen.append(executing_eagerly())
        return tf.map_fn(lambda row: (seen.append(executing_eagerly()), row)[1], x)

    function(tf.constant([1.0]))
    function(tf.constant([2.0]))
    assert seen == [False, False]
    assert executing_eagerly()
    tf.config.run_functions_eagerly(True)
    function(tf.constant([1.0]))
    assert seen[2:] == [True, True]


def test_python_inside_recorded_code() -> None:
    seen: list[bool] = []

    @tf.function
    def function(x: Any) -> Any:
        y = tf.py_function(lambda v: (seen.append(executing_eagerly()), v)[1], [x], tf.float32)
        seen.append(executing_eagerly())
        return y

    with pytest.warns(UserWarning, match=r"is run as plain Python"):
        function(tf.constant(1.0))
    assert seen == [True, False]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (tf.constant(1), True),
        (tf.Variable(1.0), True),
        (tf.Variable([1.0, 2.0])[0], True),
        (IndexedSlices(tf.constant([1.0]), tf.constant([0])), True),
        (np.ones(2), False),
        (1, False),
        ([tf.constant(1)], False),
        ("a", False),
        (None, False),
        (tf.TensorSpec([1]), False),
        (tf.TensorShape([1]), False),
    ],
    ids=lambda v: type(v).__name__,
)
def test_is_tensor(value: Any, expected: bool) -> None:
    assert is_tensor(value) is expected
