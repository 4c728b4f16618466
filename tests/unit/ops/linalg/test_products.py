"""Matrix and tensor products: shapes, dtypes, transposes, batches, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.linalg import products as tf

RNG = np.random.default_rng(0)


def floats(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def ones(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.ones(shape, dtype)


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((2, 1, 2, 3), (4, 3, 1)), ((2, 3), (5, 3, 4))],
    ids=repr,
)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = floats(*a), floats(*b)
    result = tf.matmul(x, y)
    assert result.dtype.name == "float32"
    np.testing.assert_allclose(result.numpy(), x @ y, rtol=1e-5, atol=1e-6)


def test_matmul_transposes() -> None:
    x, y = floats(5, 2, 3), floats(5, 4, 2)
    expected = np.swapaxes(x, 1, 2) @ np.swapaxes(y, 1, 2)
    for flags in (
        {"transpose_a": True, "transpose_b": True},
        {"adjoint_a": True, "adjoint_b": True},
        {"transpose_a": True, "adjoint_b": True, "a_is_sparse": True, "b_is_sparse": True},
    ):
        np.testing.assert_allclose(tf.matmul(x, y, **flags).numpy(), expected, rtol=1e-5, atol=1e-6)


def test_matmul_adjoint_conjugates() -> None:
    result = tf.matmul(np.array([[1 + 1j]]), np.array([[1j]]), adjoint_a=True)
    assert result.dtype.name == "complex128"
    np.testing.assert_allclose(result.numpy(), [[1 + 1j]])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32", "int64", "complex64"])
def test_matmul_keeps_dtype(dtype: str) -> None:
    result = tf.matmul(constant(ones(2, 3), dtype), constant(ones(3, 1), dtype))
    assert result.dtype.name == dtype
    np.testing.assert_allclose(np.asarray(result.numpy(), "c8"), [[3], [3]])


def test_matmul_output_type() -> None:
    x = constant(np.full((1, 300), 100, np.int8))
    result = tf.matmul(x, x, transpose_b=True, output_type="int32")
    assert result.dtype.name == "int32"
    assert result.numpy() == 3_000_000


def test_matmul_takes_lists_numpy_and_variables() -> None:
    assert tf.matmul([[1, 2]], [[3], [4]]).dtype.name == "int32"
    np.testing.assert_allclose(tf.matmul([[1.0, 2]], [[3], [4]]).numpy(), [[11]])
    np.testing.assert_allclose(tf.matmul(Variable([[1.0, 2]]), np.array([[3.0], [4]])).numpy(), [[11]])


def test_matmul_inner_dimensions() -> None:
    with pytest.raises(
        errors.InvalidArgumentError,
        match=r"tf.matmul expected as many columns on the left as rows on the right: "
        r"Matrix size-incompatible: In\[0\]: \[2,3\], In\[1\]: \[4,5\]",
    ):
        tf.matmul(ones(2, 3), ones(4, 5))


def test_matmul_batch_dimensions() -> None:
    message = r"expected compatible batch dimensions; got In\[0\]: \[2,2,3\], In\[1\]: \[3,3,5\]"
    with pytest.raises(errors.InvalidArgumentError, match=message):
        tf.matmul(ones(2, 2, 3), ones(3, 3, 5))


@pytest.mark.parametrize("shape", [(), (3,)])
def test_matmul_rank(shape: tuple[int, ...]) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"of rank 2 or more; got In\[0\]: "):
        tf.matmul(ones(*shape), ones(3, 5))


def test_matmul_dtypes() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="cannot compute MatMul as input #1"):
        tf.matmul(constant(ones(2, 2)), constant(ones(2, 2), "float64"))
    with pytest.raises(errors.InvalidArgumentError, match="MatMul expected a number tensor for a"):
        tf.matmul([[True]], [[True]])


@pytest.mark.parametrize("side", ["a", "b"])
def test_matmul_transpose_or_adjoint(side: str) -> None:
    message = f"expected at most one of transpose_{side} and adjoint_{side}"
    with pytest.raises(ValueError, match=message):
        tf.matmul(ones(2, 2), ones(2, 2), **{f"transpose_{side}": True, f"adjoint_{side}": True})


def test_matvec() -> None:
    x, y = floats(5, 2, 3), floats(3)
    np.testing.assert_allclose(tf.matvec(x, y).numpy(), x @ y, rtol=1e-5, atol=1e-6)
    turned = tf.matvec(x, floats(2) * 0 + 1, transpose_a=True)
    np.testing.assert_allclose(turned.numpy(), x.sum(1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("a", "b"), [((2, 3), (2,)), ((2, 3), ()), ((3,), (3,)), ((2, 2, 3), (3, 3))])
def test_matvec_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"tf.linalg.matvec expected a matrix with"):
        tf.matvec(ones(*a), ones(*b))


def test_matvec_transpose_or_adjoint() -> None:
    with pytest.raises(ValueError, match="expected at most one of transpose_a and adjoint_a"):
        tf.matvec(ones(2, 2), ones(2), transpose_a=True, adjoint_a=True)


@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3), (4,), 0),
        ((2, 3, 4), (4, 3, 5), [[1, 2], [1, 0]]),
        ((2, 3, 4), (4, 3, 5), [1, 1]),
        ((2, 3), (2, 3), [[-1], [-1]]),
        ((3,), (3,), 1),
        ((), (), 0),
        ((2, 3), (3, 2), np.array([[1], [0]])),
    ],
    ids=repr,
)
def test_tensordot(a: tuple[int, ...], b: tuple[int, ...], axes: Any) -> None:
    x, y = floats(*a) + np.float32(0), floats(*b) + np.float32(0)
    expected = np.tensordot(x, y, axes if not isinstance(axes, np.ndarray) else axes.tolist())
    result = tf.tensordot(constant(x), constant(y), axes)
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_tensordot_axes_as_a_tensor() -> None:
    assert tf.tensordot(ones(2, 3), ones(3, 2), constant([[1], [0]])).shape == (2, 2)


@pytest.mark.parametrize(
    ("axes", "error", "message"),
    [
        (-1, ValueError, "to be at least 0 and not larger than the rank"),
        (3, ValueError, "to be at least 0 and not larger than the rank"),
        ([[0]], ValueError, "expected axes to be an integer or have length 2"),
        (np.zeros((3, 1), int), ValueError, "expected axes to be an integer or have length 2"),
        ([[0, 1], [0]], ValueError, "different number of contraction axes, 2 != 1"),
        ([[5], [0]], IndexError, r"expected axes of a in \[-2, 2\)"),
        ([[0], [-3]], IndexError, r"expected axes of b in \[-2, 2\)"),
        ([[0, 0], [0, 1]], ValueError, "expected every axis of a once"),
        (1.5, TypeError, "expected integers for axes"),
        (None, ValueError, "expected integers for axes"),
        (1, errors.InvalidArgumentError, "to have equal lengths: Matrix size-incompatible"),
    ],
    ids=repr,
)
def test_tensordot_refuses(axes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tf.tensordot(ones(2, 3), ones(2, 3), axes)


def test_tensordot_dtypes() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="cannot compute Tensordot as input #1"):
        tf.tensordot(constant([1.0]), constant([1.0], "float64"), 1)


def test_cross() -> None:
    np.testing.assert_array_equal(tf.cross([1.0, 0, 0], [0.0, 1, 0]).numpy(), [0, 0, 1])
    assert tf.cross([[1, 0, 0]], [[0, 1, 0]]).dtype.name == "int32"


def test_cross_refuses() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected inputs of the same shape"):
        tf.cross(ones(2, 3), ones(3))
    with pytest.raises(errors.FailedPreconditionError, match="expected vectors of 3 elements"):
        tf.cross(ones(2), ones(2))
    with pytest.raises(errors.InvalidArgumentError, match="Cross expected a real number tensor"):
        tf.cross(ones(3, dtype=np.complex64), ones(3, dtype=np.complex64))


@pytest.mark.parametrize("form", [None, "NHWC", "N...C"])
def test_bias_add_to_the_last_axis(form: str | None) -> None:
    x = floats(2, 2, 2, 3)
    np.testing.assert_allclose(tf.bias_add(x, [1, 2, 3], form).numpy(), x + np.float32([1, 2, 3]))


@pytest.mark.parametrize(("shape", "form"), [((1, 2, 3, 4), "NCHW"), ((1, 2, 3), "NC.."), ((1, 2), "NC")])
def test_bias_add_to_the_second_axis(shape: tuple[int, ...], form: str) -> None:
    result = tf.bias_add(ones(*shape), [1.0, 2.0], form).numpy()
    assert (np.moveaxis(result, 1, -1) == [2, 3]).all()


@pytest.mark.parametrize(
    ("value", "bias", "form"),
    [
        ((2, 3), (2,), None),
        ((2, 3), (1, 3), None),
        ((2,), (2,), None),
        ((), (1,), None),
        ((1, 2, 3, 4), (4,), "NCHW"),
    ],
    ids=repr,
)
def test_bias_add_shapes(value: Any, bias: Any, form: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="and one bias for each of its channels"):
        tf.bias_add(ones(*value), ones(*bias), form)


def test_bias_add_format() -> None:
    with pytest.raises(ValueError, match=r"of the form `N...C` or `NC...`; got data_format='foo'"):
        tf.bias_add(ones(2, 3), ones(3), data_format="foo")
