"""Activations: values, dtypes, axes, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.nn import activation as nn

nan, inf = np.nan, np.inf
POINTS = np.array([-100.0, -3.0, -1.0, 0.0, 1.0, 3.0, 6.0, 7.0, 100.0], np.float32)
ALL = ["relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "silu", "softmax", "log_softmax", "crelu"]
FLOATING_ONLY = ["elu", "selu", "softmax", "log_softmax"]

VALUES = {
    "relu": [0, 0, 0, 0, 1, 3, 6, 7, 100],
    "relu6": [0, 0, 0, 0, 1, 3, 6, 6, 6],
    "leaky_relu": [-20, -0.6, -0.2, 0, 1, 3, 6, 7, 100],
    "elu": [-1, -0.950213, -0.632121, 0, 1, 3, 6, 7, 100],
    "selu": [
        *(-1.758099, -1.670569, -1.111331, 0),
        *(1.050701, 3.152103, 6.304206, 7.354907, 105.0701),
    ],
    "gelu": [0, -0.004049696, -0.1586553, 0, 0.8413447, 2.99595, 6, 7, 100],
    "silu": [0, -0.1422776, -0.2689414, 0, 0.7310585, 2.857722, 5.985164, 6.993623, 100],
}


@pytest.mark.parametrize("name", VALUES)
def test_activations_give_known_values(name: str) -> None:
    result = getattr(nn, name)(POINTS)
    assert result.dtype.name == "float32"
    np.testing.assert_allclose(result.numpy(), VALUES[name], rtol=1e-5, atol=1e-7)


def test_gelu_by_tanh() -> None:
    result = nn.gelu(constant([-3.0, -1.0, 1.0, 3.0]), approximate=True)
    np.testing.assert_allclose(result.numpy(), [-0.003637433, -0.158808, 0.841192, 2.996363], rtol=1e-4)


def test_silu_is_swish_and_beta_may_be_a_tensor() -> None:
    assert nn.swish is nn.silu
    np.testing.assert_allclose(nn.silu([1.0], beta=2.0).numpy(), [0.8807971], rtol=1e-6)
    np.testing.assert_allclose(nn.silu([1.0], beta=Variable(2.0)).numpy(), [0.8807971], rtol=1e-6)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_dtype_is_kept(name: str, dtype: str) -> None:
    assert getattr(nn, name)(constant([0.5, 1.0], dtype)).dtype.name == dtype


@pytest.mark.parametrize("name", ALL)
def test_nan_stays_nan_and_infinity_is_taken(name: str) -> None:
    assert np.isnan(getattr(nn, name)([nan]).numpy()).all()
    getattr(nn, name)([inf, -inf]).numpy()


@pytest.mark.parametrize("name", ["relu", "relu6", "crelu"])
def test_integers_stay_integers(name: str) -> None:
    result = getattr(nn, name)(constant([-1, 0, 9]))
    assert result.dtype.name == "int32"
    assert result.numpy()[2] == (6 if name == "relu6" else 9)


def test_leaky_relu_of_integers_is_float32() -> None:
    result = nn.leaky_relu(constant([-10, 10]))
    assert result.dtype.name == "float32"
    np.testing.assert_allclose(result.numpy(), [-2, 10])


@pytest.mark.parametrize("name", FLOATING_ONLY)
@pytest.mark.parametrize("value", [[1, 2], [True], [1 + 1j]], ids=repr)
def test_a_floating_point_tensor_is_expected(name: str, value: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a floating-point tensor"):
        getattr(nn, name)(value)


@pytest.mark.parametrize("name", ["relu", "relu6"])
def test_real_numbers_are_expected(name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a real number tensor"):
        getattr(nn, name)([True])


def test_crelu_needs_a_sign() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a tensor of real numbers with"):
        nn.crelu(constant([1], "uint8"))


def test_gelu_refuses_integers_with_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"tf.nn.gelu expected a floating-point tensor; got features"):
        nn.gelu([1, 2])


@pytest.mark.parametrize("name", ALL)
def test_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="None"):
        getattr(nn, name)(None)


@pytest.mark.parametrize("alpha", ["x", None, Variable(0.1), constant(0.1)], ids=repr)
def test_leaky_relu_expects_a_number_for_alpha(alpha: Any) -> None:
    with pytest.raises(TypeError, match=r"tf.nn.leaky_relu expected a Python number for alpha"):
        nn.leaky_relu([1.0], alpha=alpha)


@pytest.mark.parametrize("alpha", [0.5, 2, np.float32(0.25)], ids=repr)
def test_leaky_relu_alpha(alpha: Any) -> None:
    np.testing.assert_allclose(nn.leaky_relu([-4.0], alpha).numpy(), [-4 * float(alpha)])


@pytest.mark.parametrize("axis", [None, -1, 1, 0, -2, np.int64(0), constant(0)], ids=repr)
def test_softmax_axis(axis: Any) -> None:
    x = np.array([[1.0, 2.0, 3.0], [1.0, -1.0, 1.0]], np.float32)
    place = -1 if axis is None else int(axis)
    expected = np.exp(x) / np.exp(x).sum(place, keepdims=True)
    np.testing.assert_allclose(nn.softmax(x, axis).numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(nn.log_softmax(x, axis).numpy(), np.log(expected), rtol=1e-5)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [2, -3])
def test_softmax_axis_out_of_range(name: str, axis: int) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=rf"tf.nn.{name} expected axis in \[-2, 2\)"):
        getattr(nn, name)([[1.0]], axis=axis)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "crelu"])
def test_a_scalar_has_no_axis(name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="A scalar has no axes"):
        getattr(nn, name)(1.0)


def test_softmax_does_not_overflow() -> None:
    np.testing.assert_allclose(nn.softmax([1e30, 1e30, -1e30]).numpy(), [0.5, 0.5, 0])
    np.testing.assert_allclose(nn.softmax([-inf, 1.0]).numpy(), [0, 1])
    assert np.isnan(nn.softmax([-inf, -inf]).numpy()).all()
    np.testing.assert_allclose(nn.log_softmax([1e4, 0.0]).numpy(), [0, -1e4])


def test_softmax_of_nothing() -> None:
    assert nn.softmax(np.zeros((2, 0), np.float32)).shape == (2, 0)
    assert nn.log_softmax(np.zeros((0, 2), np.float32)).shape == (0, 2)


def test_softmax_of_many_half_precision_numbers_sums_to_one() -> None:
    x = np.zeros(4096, np.float16)
    np.testing.assert_allclose(nn.softmax(x).numpy().astype("f8").sum(), 1, rtol=1e-3)


def test_crelu_doubles_an_axis() -> None:
    np.testing.assert_array_equal(nn.crelu([[1.0, -2.0]]).numpy(), [[1, 0, 0, 2]])
    np.testing.assert_array_equal(nn.crelu([[1.0, -2.0]], axis=0).numpy(), [[1, 0], [0, 2]])
    with pytest.raises(errors.InvalidArgumentError, match=r"tf.nn.crelu expected axis in \[-2, 2\)"):
        nn.crelu([[1.0]], axis=2)
