"""Running totals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import cumulative as tf

inf = np.inf


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "sums", "products"),
    [
        ({}, [2, 5, 9], [2, 6, 24]),
        ({"exclusive": True}, [0, 2, 5], [1, 2, 6]),
        ({"reverse": True}, [9, 7, 4], [24, 12, 4]),
        ({"exclusive": True, "reverse": True}, [7, 4, 0], [12, 4, 1]),
    ],
)
@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "float16", "complex64"])
def test_sums_and_products(options: dict[str, bool], sums: Any, products: Any, dtype: str) -> None:
    x = constant([2, 3, 4], dtype)
    check(tf.cumsum(x, **options), sums, dtype)
    check(tf.cumprod(x, **options), products, dtype)


def test_axes() -> None:
    x = constant([[1, 2, 3], [4, 5, 6]])
    check(tf.cumsum(x), [[1, 2, 3], [5, 7, 9]], "int32")
    check(tf.cumsum(x, axis=-1), [[1, 3, 6], [4, 9, 15]], "int32")
    check(tf.cumsum(x, axis=constant(1), exclusive=True), [[0, 1, 3], [0, 4, 9]], "int32")
    check(tf.cumsum(constant([200, 100], "uint8")), [200, 44], "uint8")
    assert tf.cumsum([], exclusive=True).shape == (0,)


def test_cumulative_logsumexp() -> None:
    x = constant([1.0, 2.0, 1000.0])
    check(tf.cumulative_logsumexp(x), [1, 2.3132617, 1000], "float32")
    check(tf.cumulative_logsumexp(x, exclusive=True), [-inf, 1, 2.3132617], "float32")
    check(tf.cumulative_logsumexp(x, reverse=True), [1000, 1000, 1000], "float32")


def test_wrong_arguments() -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"tf.cumsum expected axis in \[-1, 1\)"):
        tf.cumsum([1.0], axis=1)
    with pytest.raises(errors.InvalidArgumentError, match="A scalar has no axes"):
        tf.cumprod(1.0)
    with pytest.raises(errors.InvalidArgumentError, match="Cumsum expected a number tensor"):
        tf.cumsum([True])
    with pytest.raises(errors.InvalidArgumentError, match="expected a floating-point tensor"):
        tf.cumulative_logsumexp([1])
