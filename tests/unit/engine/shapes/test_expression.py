"""Sizes as polynomials of symbols."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from tapeflow.engine.shapes.expression import evaluate, grows, has_symbols, is_symbolic


@pytest.fixture
def symbols() -> Any:
    return jax.export.symbolic_shape("n, m", constraints=["n >= 1", "m >= 1"])


def test_values_of_expressions(symbols: Any) -> None:
    n, m = symbols
    values = {"n": 7, "m": 3}
    assert evaluate(3 * n * m + n // 2 - 1, values) == 65
    assert evaluate(n * n % 4, values) == 1
    assert evaluate(jax.core.max_dim(n - m, 2), values) == 4
    assert evaluate(jax.core.min_dim(n - m, 2), values) == 2
    assert evaluate(5, {}) == 5
    arrays = {"n": np.int32(7), "m": np.int32(3)}
    assert int(evaluate(jax.core.max_dim(n - m, 2) * 2, arrays)) == 8


def test_what_is_symbolic(symbols: Any) -> None:
    n, _ = symbols
    assert is_symbolic(n + 1)
    assert not is_symbolic(n - n)
    assert has_symbols((1, n))
    assert not has_symbols((1, 2))


def test_whether_a_size_only_grows(symbols: Any) -> None:
    n, m = symbols
    for size in (4, n, n + m, 2 * n * m - 3, n // 2, -(-n // 2), (n - 2) // 2 + 1):
        assert grows(size), size
    for size in (-n, n - m, n % 4, 3 - n // 2, n * (5 - m)):
        assert not grows(size), size
