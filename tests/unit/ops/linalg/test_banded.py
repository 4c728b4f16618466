"""Matrices with few diagonals; results are compared with TensorFlow's in tests/parity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(
            lambda: tf.linalg.banded_triangular_solve(tf.ones([3, 2]), tf.ones([2, 1])),
            "no more diagonals than size",
            id="banded",
        ),
        pytest.param(
            lambda: tf.linalg.eigh_tridiagonal([1.0], [1.0]), "one shorter than alpha", id="tridiagonal"
        ),
        pytest.param(
            lambda: tf.linalg.eigh_tridiagonal([1.0], [], select="v"),
            "select_range of two numbers",
            id="select",
        ),
        pytest.param(
            lambda: tf.linalg.eigh_tridiagonal([[1.0]], tf.ones([1, 0]), select="v", select_range=(0, 1)),
            "one matrix for select='v'",
            id="one matrix",
        ),
    ],
)
def test_wrong_arguments_raise(call: Callable[[], object], text: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()
