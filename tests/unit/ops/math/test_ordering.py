"""Order: arg-reductions, the k largest, sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import ordering as tf

nan, inf = np.nan, np.inf
MATRIX = [[1, 3, 3], [5, 2, 5]]


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    np.testing.assert_array_equal(result.numpy(), value)


def test_argmax_and_argmin() -> None:
    check(tf.argmax(MATRIX), [1, 0, 1], "int64")
    check(tf.argmax(MATRIX, axis=1), [1, 0], "int64")
    check(tf.argmax(MATRIX, axis=-1, output_type="int32"), [1, 0], "int32")
    check(tf.argmax([1, 2], axis=constant(0), output_type="uint16"), 1, "uint16")
    check(tf.argmin([3, 1, 1]), 1, "int64")
    check(tf.argmax([False, True]), 1, "int64")
    check(tf.argmax(constant(np.zeros([0, 3], np.float32)), axis=1), [], "int64")


def test_nan_is_passed_by() -> None:
    check(tf.argmax([nan, 1.0, 2.0, nan]), 2, "int64")
    check(tf.argmin([nan, 3.0, 2.0, nan]), 2, "int64")
    check(tf.argmax([nan, nan]), 0, "int64")


def test_top_k() -> None:
    values, indices = tf.top_k([1, 5, 3, 5], 2)
    check(values, [5, 5], "int32")
    check(indices, [1, 3], "int32")
    found = tf.top_k([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]], k=constant(2), index_type="int64")
    check(found.values, [[3, 2], [6, 5]], "float32")
    check(found.indices, [[2, 1], [0, 1]], "int64")
    check(tf.top_k([1, 5]).values, [5], "int32")
    assert tf.top_k([1, 5], 0).values.shape == (0,)


def test_in_top_k() -> None:
    scores = [[0.1, 0.9, 0.0], [0.5, 0.4, 0.3]]
    check(tf.in_top_k([1, 2], scores, 1), [True, False], "bool")
    check(tf.in_top_k([1, 2], scores, 3), [True, True], "bool")
    check(tf.in_top_k([0, 1], [[0.5, 0.5], [0.5, 0.5]], 1), [True, True], "bool")
    check(tf.in_top_k([0, 0, 2], [[inf, 1.0], [1.0, nan], [1.0, 1.0]], 1), [False] * 3, "bool")
    check(tf.in_top_k([0], [[0.5, 0.5]], 0), [False], "bool")


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "float16", "float32", "float64"])
def test_sort_and_argsort(dtype: str) -> None:
    values = constant([[3, 1, 2, 1], [0, 7, 7, 5]], dtype)
    check(tf.sort(values), [[1, 1, 2, 3], [0, 5, 7, 7]], dtype)
    check(tf.sort(values, direction="DESCENDING"), [[3, 2, 1, 1], [7, 7, 5, 0]], dtype)
    check(tf.sort(values, axis=0), [[0, 1, 2, 1], [3, 7, 7, 5]], dtype)
    check(tf.argsort(values), [[1, 3, 2, 0], [0, 3, 1, 2]], "int32")
    check(tf.argsort(values, direction="DESCENDING"), [[0, 2, 1, 3], [1, 2, 3, 0]], "int32")


def test_sort_at_the_limits() -> None:
    check(tf.sort(constant([0, -128, 127], "int8"), direction="DESCENDING"), [127, 0, -128], "int8")
    check(tf.sort([3.0, nan, 2.0]), [2, 3, nan], "float32")
    check(tf.argsort([3.0, 1.0], axis=constant(0), stable=True), [1, 0], "int32")


def test_is_it_in_order() -> None:
    check(tf.is_non_decreasing([1, 1, 2]), True, "bool")
    check(tf.is_strictly_increasing([1, 1, 2]), False, "bool")
    check(tf.is_strictly_increasing([[1, 2], [3, 4]]), True, "bool")
    check(tf.is_strictly_increasing([]), True, "bool")
    check(tf.is_non_decreasing(constant(1)), True, "bool")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.argmax(MATRIX, axis=2),
            errors.InvalidArgumentError,
            r"tf.argmax expected axis in \[-2, 2\); got axis=2",
        ),
        (lambda: tf.argmin(1.0), errors.InvalidArgumentError, "A scalar has no axes"),
        (lambda: tf.argmax(MATRIX, axis=[0]), TypeError, r"expected one axis; got axis=\[0\]"),
        (
            lambda: tf.argmax(np.zeros([0, 3])),
            errors.InvalidArgumentError,
            "reduction axis 0 is empty",
        ),
        (
            lambda: tf.argmin([1, 2], output_type="uint16"),
            errors.InvalidArgumentError,
            "expected output_type to be one of int32, int64; got output_type=uint16",
        ),
        (
            lambda: tf.top_k([1, 5], 3),
            errors.InvalidArgumentError,
            r"expected k in \[0, 2\], the size of the last axis; got k=3",
        ),
        (lambda: tf.top_k([1, 5], -1), errors.InvalidArgumentError, "got k=-1"),
        (lambda: tf.top_k(1, 1), errors.InvalidArgumentError, "at least one dimension; got input"),
        (lambda: tf.top_k([True], 1), errors.InvalidArgumentError, "TopK expected a real number"),
        (
            lambda: tf.in_top_k([0], [0.5, 0.5], 1),
            errors.InvalidArgumentError,
            r"expected predictions of shape \[batch, classes\] and targets of shape \[batch\]",
        ),
        (
            lambda: tf.in_top_k([0.0], [[0.5, 0.5]], 1),
            errors.InvalidArgumentError,
            "InTopK expected an integer tensor for targets",
        ),
        (
            lambda: tf.in_top_k([0], [[1, 2]], 1),
            errors.InvalidArgumentError,
            "InTopK expected a floating-point tensor for predictions",
        ),
        (
            lambda: tf.sort([1], direction="up"),
            ValueError,
            "tf.sort expected direction to be 'ASCENDING' or 'DESCENDING'; got direction='up'",
        ),
        (lambda: tf.argsort([1], axis=1), errors.InvalidArgumentError, "tf.argsort expected axis"),
        (lambda: tf.sort([True]), errors.InvalidArgumentError, "Sort expected a real number"),
        (
            lambda: tf.is_non_decreasing([True]),
            TypeError,
            r"tf.math.is_non_decreasing expected a number tensor; got x \(shape \[1\], bool\)",
        ),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
