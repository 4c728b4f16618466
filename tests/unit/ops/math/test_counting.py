"""Bins and confusion matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import arithmetic
from tapeflow.ops.math import counting as tf


def check(result: Any, value: Any, dtype: str = "int32") -> None:
    assert result.dtype.name == dtype
    assert tuple(result.shape) == np.shape(value)
    np.testing.assert_allclose(result.numpy(), value)


@pytest.mark.parametrize(
    ("result", "value", "dtype"),
    [
        (lambda: tf.bincount([1, 1, 3]), [0, 2, 0, 1], "int32"),
        (lambda: tf.bincount([1, 1, 3], minlength=6), [0, 2, 0, 1, 0, 0], "int32"),
        (lambda: tf.bincount([1, 1, 3], maxlength=2), [0, 2], "int32"),
        (lambda: tf.bincount([1, 1, 3], minlength=2, maxlength=3), [0, 2, 0], "int32"),
        (lambda: tf.bincount([1, 1, 3], minlength=6, maxlength=3), [0, 2, 0], "int32"),
        (lambda: tf.bincount([1, 1, 3], weights=[0.5, 1.0, 2.0]), [0, 1.5, 0, 2], "float32"),
        (lambda: tf.bincount([1, 1, 3], weights=[1, 2, 3]), [0, 3, 0, 3], "int32"),
        (lambda: tf.bincount([1, 1, 3], dtype="int64"), [0, 2, 0, 1], "int64"),
        (lambda: tf.bincount([1, 1, 3], binary_output=True), [0, 1, 0, 1], "int32"),
        (lambda: tf.bincount(3), [0, 0, 0, 1], "int32"),
        (lambda: tf.bincount([]), [], "int32"),
        (lambda: tf.bincount([[1, 1], [0, 2]]), [1, 2, 1], "int32"),
        (lambda: tf.bincount([[1, 1], [0, 2]], axis=0), [1, 2, 1], "int32"),
        (lambda: tf.bincount([[1, 1], [0, 2]], axis=-1), [[0, 2, 0], [1, 0, 1]], "int32"),
        (
            lambda: tf.bincount([[1, 1], [0, 2]], [[1.0, 2.0], [3.0, 4.0]], axis=-1),
            [[0, 3, 0], [3, 0, 4]],
            "float32",
        ),
        (
            lambda: tf.bincount([[1, 1], [0, 2]], axis=-1, binary_output=True),
            [[0, 1, 0], [1, 0, 1]],
            "int32",
        ),
    ],
)
def test_bincount(result: Any, value: Any, dtype: str) -> None:
    check(result(), value, dtype)


def test_confusion_matrix() -> None:
    check(tf.confusion_matrix([1, 2, 1], [2, 2, 1]), [[0, 0, 0], [0, 1, 1], [0, 0, 1]])
    check(tf.confusion_matrix([1, 0], [1, 1], num_classes=2), [[0, 1], [0, 1]])
    check(tf.confusion_matrix([1, 1], [1, 1], weights=[1, 5]), [[0, 0], [0, 6]])
    check(tf.confusion_matrix([1], [1], 2, [0.5], "float32"), [[0, 0], [0, 0.5]], "float32")
    check(tf.confusion_matrix([[1], [0]], [1, 1]), [[0, 1], [0, 1]])
    check(tf.confusion_matrix([], [], num_classes=2), [[0, 0], [0, 0]])
    check(tf.confusion_matrix([1.0], [1.0], dtype="int64"), [[0, 0], [0, 1]], "int64")


def test_a_negative_value_found_when_run() -> None:
    numbers = arithmetic.negative(constant(np.arange(100, dtype=np.int32)))
    with pytest.raises(errors.InvalidArgumentError, match=r"arr without negative values; got -1\."):
        tf.bincount(numbers, minlength=5, maxlength=5).numpy()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.bincount([-1, 1]),
            errors.InvalidArgumentError,
            "Input arr must be non-negative",
        ),
        (
            lambda: tf.bincount([1, 2], weights=[1.0]),
            errors.InvalidArgumentError,
            r"expected weights of the same shape as arr; got weights \(shape \[1\], float32\)",
        ),
        (
            lambda: tf.bincount([1], axis=1),
            ValueError,
            "tf.math.bincount expected axis to be None, 0 or -1; got axis=1",
        ),
        (
            lambda: tf.bincount([[[1]]], axis=-1),
            errors.InvalidArgumentError,
            "expected arr of at most rank 2 for axis=-1",
        ),
        (
            lambda: tf.confusion_matrix([1, 2], [2, 2], num_classes=2),
            errors.InvalidArgumentError,
            "expected classes below num_classes=2; got labels with 2",
        ),
        (
            lambda: tf.confusion_matrix([1, 2], [2, 9], num_classes=3),
            errors.InvalidArgumentError,
            "`predictions` out of bound",
        ),
        (
            lambda: tf.confusion_matrix([-1, 2], [2, 2]),
            errors.InvalidArgumentError,
            "`labels` contains negative values",
        ),
        (
            lambda: tf.confusion_matrix([1, 2], [2]),
            errors.InvalidArgumentError,
            "expected as many predictions as labels",
        ),
        (
            lambda: tf.confusion_matrix([1, 2], [2, 2], weights=[1]),
            ValueError,
            "expected one weight for each label",
        ),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
