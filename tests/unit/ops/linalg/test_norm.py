"""Norms: every order and axis that TensorFlow takes, and the refusals for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.linalg import norm as tf

X = np.array([[1.0, -2.0, 3.0], [4.0, 0.0, -6.0]], np.float32)
inf = np.inf


@pytest.mark.parametrize(
    ("order", "axis", "expected"),
    [
        ("euclidean", None, 8.124038),
        ("euclidean", 0, [4.123106, 2, 6.708204]),
        ("euclidean", (0, 1), 8.124038),
        ("fro", [-2, -1], 8.124038),
        (1, None, 16),
        (1, 0, [5, 2, 9]),
        (1, (0, 1), 9),
        (2, None, 8.124038),
        (2, 1, [3.741657, 7.211103]),
        (2, (0, 1), 7.52335),
        (inf, None, 6),
        (inf, -1, [3, 6]),
        (inf, (0, 1), 10),
        (3, None, 6.81129),
        (2.5, 1, [3.45856, 6.79102]),
        (np.float32(1), (1, 0), 10),
    ],
    ids=repr,
)
def test_norm(order: Any, axis: Any, expected: Any) -> None:
    result = tf.norm(X, order, axis)
    assert result.dtype.name == "float32"
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)


def test_keepdims() -> None:
    assert tf.norm(X, keepdims=True).shape == (1, 1)
    assert tf.norm(X, axis=0, keepdims=True).shape == (1, 3)
    assert tf.norm(np.ones((2, 3, 4)), 2, (0, 2), keepdims=True).shape == (1, 3, 1)
    assert tf.norm(np.ones((2, 3, 4)), 2, (2, 0)).shape == (3,)


def test_dtypes_of_norms() -> None:
    assert tf.norm([3, 4], 1).numpy() == 7
    assert tf.norm([3, 4], inf).dtype.name == "int32"
    assert tf.norm(np.array([3 + 4j, 0])).dtype.name == "complex128"
    assert tf.norm(np.array([3 + 4j, 0]), 1).dtype.name == "float64"
    assert tf.norm(-3.0).numpy() == 3
    with pytest.raises(errors.InvalidArgumentError, match="expected a floating-point or complex"):
        tf.norm([3, 4])
    with pytest.raises(errors.InvalidArgumentError, match="Norm expected a number tensor"):
        tf.norm([True])


def test_normalize() -> None:
    x, size = tf.normalize([[3.0, 4.0], [0.0, 5.0]], axis=1)
    np.testing.assert_allclose(x.numpy(), [[0.6, 0.8], [0, 1]], rtol=1e-6)
    np.testing.assert_allclose(size.numpy(), [[5], [5]])
    assert tf.normalize(X, 1)[1].shape == (1, 1)
    with pytest.raises(errors.InvalidArgumentError, match="Normalize expected a floating-point"):
        tf.normalize([1, 2])


@pytest.mark.parametrize("axis", [(0,), (0, 0), (0, 1, 2), (0, -2)], ids=repr)
def test_axis_pairs(axis: Any) -> None:
    with pytest.raises(ValueError, match="an integer, or a tuple of 2 unique integers; got axis="):
        tf.norm(X, axis=axis)


@pytest.mark.parametrize("axis", [5, -3, (0, 4)], ids=repr)
def test_axis_out_of_range(axis: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"tf.norm expected axis in \[-2, 2\)"):
        tf.norm(X, axis=axis)


@pytest.mark.parametrize("order", ["fro", 0, -1, -inf, "foo", None, True and "x"], ids=repr)
def test_vector_orders(order: Any) -> None:
    with pytest.raises(ValueError, match="expected ord to be a supported vector norm"):
        tf.norm(X, order)


@pytest.mark.parametrize("order", [3, 0, -1, -inf, "foo"], ids=repr)
def test_matrix_orders(order: Any) -> None:
    with pytest.raises(ValueError, match="expected ord to be a supported matrix norm"):
        tf.norm(X, order, axis=(0, 1))


def test_a_tensor_of_half_precision() -> None:
    assert tf.norm(constant([3.0, 4.0], "float16")).dtype.name == "float16"
