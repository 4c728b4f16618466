"""Operators of tensors and Variables."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.ops import Tensor, Variable, constant

BOTH_WAYS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
]
LEFT, RIGHT = np.array([7.5, -2.0, 3.0], np.float32), np.array([2.0, 3.0, 3.0], np.float32)


@pytest.mark.parametrize("make", [constant, Variable], ids=["Tensor", "Variable"])
@pytest.mark.parametrize("operate", BOTH_WAYS, ids=lambda f: f.__name__)
def test_arithmetic_and_comparison(operate: Any, make: Any) -> None:
    expected = operate(LEFT, RIGHT)
    for left, right in [
        (make(LEFT), make(RIGHT)),
        (make(LEFT), RIGHT),
        (LEFT, make(RIGHT)),
        (make(LEFT), RIGHT.tolist()),
        (LEFT.tolist(), make(RIGHT)),
    ]:
        result = operate(left, right)
        assert isinstance(result, Tensor)
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("make", [constant, Variable], ids=["Tensor", "Variable"])
def test_python_numbers_take_the_dtype(make: Any) -> None:
    x = make(np.array([1.0, 4.0], np.float32))
    for result, expected in [
        (x * 0.5, [0.5, 2]),
        (3 - x, [2, -1]),
        (2 / x, [2, 0.5]),
        (x**2, [1, 16]),
        (2**x, [2, 16]),
        (x // 3, [0, 1]),
        (5 % x, [0, 1]),
        (-x, [-1, -4]),
        (abs(-x), [1, 4]),
    ]:
        assert result.dtype == "float32"
        np.testing.assert_allclose(result.numpy(), expected)


@pytest.mark.parametrize("make", [constant, Variable], ids=["Tensor", "Variable"])
def test_matrix_product(make: Any) -> None:
    row, column = np.array([[1.0, 2.0]], np.float32), np.array([[3.0], [4.0]], np.float32)
    for result in (make(row) @ make(column), make(row) @ column, row @ make(column)):
        assert isinstance(result, Tensor)
        assert result.numpy().tolist() == [[11.0]]


@pytest.mark.parametrize("operate", [operator.and_, operator.or_, operator.xor])
def test_bits_and_logic(operate: Any) -> None:
    assert operate(constant(5), constant(3)).numpy() == operate(5, 3)
    assert operate(constant([5]), 3).numpy() == [operate(5, 3)]
    assert operate(3, constant(5)).numpy() == operate(3, 5)
    for a in (True, False):
        for b in (True, False):
            result = operate(constant(a), b)
            assert result.dtype == "bool"
            assert bool(result) == operate(a, b)
            assert bool(operate(a, constant(b))) == operate(a, b)


def test_invert() -> None:
    assert (~constant(5)).numpy() == -6
    assert not bool(~constant(True))
    with pytest.raises(errors.InvalidArgumentError, match="Not expected an integer or bool tensor"):
        ~constant(1.0)
    with pytest.raises(errors.InvalidArgumentError, match="And expected an integer or bool tensor"):
        constant(1.0) & constant(1.0)


@pytest.mark.parametrize("make", [constant, Variable], ids=["Tensor", "Variable"])
def test_equality_is_elementwise_and_never_fails_for_shapes(make: Any) -> None:
    x = make(np.array([1, 2], np.int32))
    assert (x == [1, 3]).numpy().tolist() == [True, False]
    assert (x != [1, 3]).numpy().tolist() == [False, True]
    assert bool(x == constant([1, 2, 3])) is False
    assert bool(x != constant([1, 2, 3])) is True
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711
    assert (None == x) is False  # noqa: E711, SIM300
    with pytest.raises(errors.InvalidArgumentError, match="cannot compute Equal as input #1"):
        x == constant([1.0, 2.0])  # noqa: B015


def test_strings_compare() -> None:
    names = constant(["a", "b"])
    assert (names == "a").numpy().tolist() == [True, False]
    assert (names != b"a").numpy().tolist() == [False, True]
    with pytest.raises(errors.InvalidArgumentError, match="A string compares only with strings"):
        constant(1) == "a"  # noqa: B015


def test_tensors_stay_unhashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(constant(1.0))
    assert constant(1.0).ref() is not None


def test_a_foreign_type_gets_its_turn() -> None:
    class Foreign:
        def __radd__(self, other: Any) -> str:
            return "foreign"

    assert constant(1.0) + Foreign() == "foreign"
    with pytest.raises(ValueError, match="unsupported type"):
        constant(1.0) - Foreign()


@pytest.mark.parametrize("operate", [operator.add, operator.lt, operator.mul])
def test_none_is_an_error(operate: Any) -> None:
    with pytest.raises(ValueError, match="None"):
        operate(constant(1.0), None)


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"Add got incompatible inputs.*\[2\].*\[3"):
        constant([1, 2]) + constant([1, 2, 3])
    with pytest.raises(errors.InvalidArgumentError, match="Less got incompatible inputs"):
        constant([1, 2]) < constant([1, 2, 3])  # noqa: B015
