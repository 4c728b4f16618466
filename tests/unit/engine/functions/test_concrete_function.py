"""Concrete functions: what they take, what they say of themselves, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


@tf.function
def power(a: Any, b: Any) -> Any:
    return {"y": a**b, "total": [tf.reduce_sum(a)]}


SQUARE = power.get_concrete_function(a=tf.TensorSpec([None, 2], tf.float32), b=2)


@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: f(x),
        lambda f, x: f(a=x),
        lambda f, x: f(x, 2),
        lambda f, x: f(x, b=2),
        lambda f, x: f(x.numpy().tolist()),
    ],
)
def test_tensors_come_by_position_or_name_and_settled_values_may_be_repeated(
    call: Callable[..., Any],
) -> None:
    found = call(SQUARE, tf.constant([[1.0, 3.0]]))
    np.testing.assert_array_equal(found["y"], [[1, 9]])


def test_it_tells_its_signature() -> None:
    assert SQUARE.structured_input_signature == ((tf.TensorSpec([None, 2], tf.float32, "a"), 2), {})
    assert SQUARE.structured_outputs["y"] == tf.TensorSpec([None, 2], tf.float32)
    assert SQUARE.output_shapes == {"y": tf.TensorShape([None, 2]), "total": [tf.TensorShape([])]}
    assert SQUARE.output_dtypes == {"y": tf.float32, "total": [tf.float32]}
    assert [len(SQUARE.inputs), len(SQUARE.outputs), SQUARE.name] == [1, 2, "power"]
    assert "a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None, 2)" in str(SQUARE)
    assert "b: Literal[2]" in repr(SQUARE)
    assert "Literal[2]" in power.pretty_printed_concrete_signatures()


def test_a_spec_of_unknown_rank_leaves_the_result_open() -> None:
    concrete = power.get_concrete_function(tf.TensorSpec(None, tf.float32), tf.constant(2.0))
    assert concrete.output_shapes["y"].rank is None
    np.testing.assert_array_equal(concrete(tf.constant([[[2.0]]]), tf.constant(3.0))["y"], [[[8]]])


def test_any_number_of_arguments() -> None:
    scalar = tf.TensorSpec([], tf.float32)

    def total(first: Any, second: Any = 2.0, *others: Any, **named: Any) -> Any:
        return first + second + sum(others) + sum(named.values())

    concrete = tf.function(total).get_concrete_function(scalar, 3.0, scalar, more=scalar)
    positional, named = concrete.structured_input_signature
    assert [getattr(part, "name", part) for part in positional] == ["first", 3.0, "others_0"]
    assert {key: spec.name for key, spec in named.items()} == {"more": "more"}
    assert concrete(1.0, 2.0, more=4.0).numpy() == 10.0
    assert tf.function(total).get_concrete_function(scalar)(1.0).numpy() == 3.0


def test_variables_and_methods() -> None:
    class Scale(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x: Any) -> Any:
            return x * self.factor

    scale = Scale()
    concrete = scale.__call__.get_concrete_function()
    assert concrete.variables[0] is scale.factor
    np.testing.assert_array_equal(concrete(tf.constant([1.0, 2.0])), [3, 6])
    scale.factor.assign(1.0)
    np.testing.assert_array_equal(concrete(tf.constant([1.0, 2.0])), [1, 2])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: SQUARE(), TypeError, "missing a required argument: 'a'"),
        (lambda: SQUARE(1, 2, 3), TypeError, "got 3 arguments"),
        (lambda: SQUARE(tf.ones([1, 2]), b=3), TypeError, "can not cast 3 to 2"),
        (lambda: SQUARE(tf.ones([1, 2]), c=3), TypeError, "unexpected argument 'c'"),
        (lambda: SQUARE(tf.ones([1, 2]), a=tf.ones([1, 2])), TypeError, "two values for argument 'a'"),
        (
            lambda: SQUARE(tf.constant([[1, 2]])),
            tf.errors.InvalidArgumentError,
            "was expected to be a float32",
        ),
        (lambda: SQUARE(tf.ones([3])), tf.errors.InvalidArgumentError, "expected a tensor of shape"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_it_refuses(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_what_cannot_be_known_without_data_is_known_after_a_call() -> None:
    joined = tf.function(lambda a: a + a).get_concrete_function(tf.TensorSpec([], tf.string))
    assert "known after a call" in repr(joined)
    with pytest.warns(UserWarning, match="run as plain Python"):
        assert joined(tf.constant("a")).numpy() == b"aa"
    assert joined.structured_outputs == tf.TensorSpec([], tf.string)


def test_calls_are_among_the_signatures_printed() -> None:
    double = tf.function(lambda x: x * 2)
    double(tf.constant([1.0, 2.0]))
    assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,)" in double.pretty_printed_concrete_signatures()
