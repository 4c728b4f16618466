"""Assertions on ranks, shapes and dtypes: known before anything runs, raised at the call."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

check = tf.debugging


def test_rank() -> None:
    x = tf.zeros([2, 3])
    assert check.assert_rank(x, 2) is None
    check.assert_rank(np.ones(3), tf.constant(1))
    check.assert_rank(5, 0)
    with pytest.raises(ValueError, match=r"^m\.  Tensor must have rank 3\.  Received rank 2, shape \(2, 3\)"):
        check.assert_rank(x, 3, message="m")
    with pytest.raises(TypeError, match=r"assert_rank expected an int as rank; got rank=1\.5"):
        check.assert_rank(x, 1.5)
    with pytest.raises(ValueError, match=r"assert_rank expected a rank that is a scalar; got rank=\[1\]"):
        check.assert_rank(x, [1])


def test_rank_at_least_and_in() -> None:
    x = tf.zeros([2, 3])
    check.assert_rank_at_least(x, 1)
    check.assert_rank_in(x, (1, 2))
    with pytest.raises(ValueError, match=r"^Tensor must have rank at least 3"):
        check.assert_rank_at_least(x, 3)
    with pytest.raises(ValueError, match=r"^m\.  Tensor must have rank in \(0, 1\)"):
        check.assert_rank_in(x, [tf.constant(0), 1], message="m")
    with pytest.raises(TypeError, match="assert_rank_in expected a list of ranks; got ranks=3"):
        check.assert_rank_in(x, 3)  # type: ignore[arg-type]


def test_scalar() -> None:
    check.assert_scalar(1)
    with pytest.raises(ValueError, match=r"^m\.  Expected scalar shape, saw shape: \(1,\)\."):
        check.assert_scalar(tf.constant([1]), message="m")


x, y = tf.zeros([2, 3]), tf.zeros([3, 5])


@pytest.mark.parametrize(
    "shapes",
    [
        [(x, ("N", "Q")), (y, ("Q", "D"))],
        [(x, "NQ"), (y, "QD")],
        [(x, (2, None)), (y, [".", 5])],
        [(x, (..., "Q")), (y, ("Q", 5))],
        [(x, ("*", 2, 3)), (y, (...,)), (tf.constant(1.0), None)],
        [(x, tf.TensorShape([2, None])), (y, tf.TensorShape(None))],
        [(tf.constant(1.0), ()), (tf.constant(1.0), (1,)), (tf.zeros([1]), ())],
        [(tf.Variable([1.0, 2.0]), ("N",)), (np.zeros((2, 2)), ("N", "N")), ([1, 2], "N")],
        [],
    ],
    ids=str,
)
def test_shapes_that_agree(shapes: Any) -> None:
    assert check.assert_shapes(shapes) is None


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        (
            [(x, ("N", "Q")), (y, ("N", "D"))],
            "Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(3, 5) dtype=float32 "
            "dimension 0 must have size 2.  Received size 3, shape (3, 5)",
        ),
        ([(x, (2, 4))], "Specified explicitly.  Tensor shape=(2, 3) dtype=float32 dimension 1 must have"),
        ([(x, "NN")], "dimension 1 must have size 2.  Received size 3"),
        ([(x, ("*", 4))], "dimension -1 must have size 4.  Received size 3"),
        ([(x, (2, 3, 1))], "Tensor must have rank 3.  Received rank 2"),
        ([(x, (..., 1, 2, 3))], "Tensor must have rank at least 3.  Received rank 2"),
        ([(x, ())], "Tensor must have rank 0.  Received rank 2"),
        ([(x, ("a", ...))], "specified shape index 1.  Symbol `...` or `*` for a variable number"),
        ([(x, 3)], "Specified shape must be an iterable"),
    ],
)
def test_shapes_that_do_not(shapes: Any, text: str) -> None:
    for message, prefix in ((None, ""), ("what I say", "what I say.  ")):
        with pytest.raises(ValueError, match=re.escape(text)) as caught:
            check.assert_shapes(shapes, message=message)
        assert str(caught.value).startswith(prefix)


def test_shapes_written_wrongly() -> None:
    with pytest.raises(TypeError, match="expected a list of pairs"):
        check.assert_shapes(5)
    with pytest.raises(TypeError, match="expected a list of pairs"):
        check.assert_shapes([x])
    with pytest.raises(TypeError, match=r"expected sizes that are ints, names or None; got 2.5"):
        check.assert_shapes([(x, (2.5, 3))])
    with pytest.raises(TypeError, match="Read a size kept in a tensor with int"):
        check.assert_shapes([(x, (tf.constant(2), 3))])


def test_types() -> None:
    check.assert_type(tf.constant(1), tf.int32)
    check.assert_type(1.0, "float32")
    with pytest.raises(TypeError, match=r"^m\.  tensor must be of type tf\.float32; got tf\.int32$"):
        check.assert_type(tf.constant(1), tf.float32, message="m")
    check.assert_integer(tf.constant(1, tf.uint8))
    for value in (tf.constant(1.0), [True]):
        with pytest.raises(TypeError, match=r'^Expected "x" to be integer type\.  Found: tensor of dtype tf'):
            check.assert_integer(value)


def test_same_float_dtype() -> None:
    half = tf.constant(1.0, tf.float16)
    assert check.assert_same_float_dtype() is tf.float32
    assert check.assert_same_float_dtype([None, half]) is tf.float16
    assert check.assert_same_float_dtype([half], tf.float16) is tf.float16
    with pytest.raises(ValueError, match=r"must be of the same type \(tf\.float16\) as Tensor shape=\(\)"):
        check.assert_same_float_dtype([half, tf.constant(1.0)])
    with pytest.raises(ValueError, match=r"must be of the same type \(tf\.float64\)\."):
        check.assert_same_float_dtype([half], tf.float64)
    with pytest.raises(ValueError, match=r"Expected floating point type, got tf\.int32\."):
        check.assert_same_float_dtype([tf.constant(1)])


def test_numeric_tensors() -> None:
    assert check.is_numeric_tensor(tf.constant(1))
    assert check.is_numeric_tensor(tf.constant(1j))
    for other in (tf.constant("a"), tf.constant(True), 1, np.ones(2), tf.Variable(1.0)):
        assert not check.is_numeric_tensor(other)


def test_proper_iterables() -> None:
    check.assert_proper_iterable([1])
    check.assert_proper_iterable({1: 2})
    for other in (tf.constant([1]), "abc", b"abc", np.ones(2)):
        with pytest.raises(TypeError, match='to be a "proper" iterable'):
            check.assert_proper_iterable(other)
    with pytest.raises(TypeError, match='Expected argument "values" to be iterable'):
        check.assert_proper_iterable(5)


def test_they_raise_while_a_function_is_recorded() -> None:
    @tf.function
    def f(x: Any) -> Any:
        check.assert_rank(x, 2)
        check.assert_shapes([(x, ("N", 3))])
        check.assert_type(x, tf.float32)
        return x + 1.0

    f(tf.zeros([1, 3]))
    with pytest.raises(ValueError, match="must have rank 2"):
        f(tf.zeros([3]))
    with pytest.raises(ValueError, match="must have size 3"):
        f(tf.zeros([3, 1]))
    f(tf.zeros([1, 3]))
