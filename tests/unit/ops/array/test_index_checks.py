"""Indices within a shape."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.backend import jnp
from tapeflow.ops.array import index_checks


@pytest.mark.parametrize("xp", [np, jnp])
@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ([[0, 1], [2, 3]], [0]),
        ([[0, 1], [3, 0]], [1, 3, 3]),
        ([[0, -1], [9, 9]], [1, -1, 4]),
        (np.zeros((0, 2)), [0]),
    ],
)
def test_nd_check(xp, indices, expected: list[int]) -> None:
    found = index_checks.nd_check(xp, (3, 4), xp.asarray(indices, dtype=xp.int32))
    assert found.dtype == np.int64
    assert np.asarray(found)[: len(expected)].tolist() == expected


def test_check_places() -> None:
    index_checks.check_places(np.array([[2], [0]]), (3, 4), "tf.f", "params")
    with pytest.raises(
        errors.InvalidArgumentError,
        match=r"tf\.f expected places that exist in params; got indices\[0,1\] = \[3\] does not index",
    ):
        index_checks.check_places(np.array([[[2], [3]]]), (3, 4), "tf.f", "params")


def test_policies() -> None:
    assert index_checks.ignores_bad_indices("IGNORE", "tf.f")
    assert not any(index_checks.ignores_bad_indices(p, "tf.f") for p in ("", "DEFAULT", "ERROR"))
    with pytest.raises(errors.InvalidArgumentError, match=r"tf\.f expected bad_indices_policy to be"):
        index_checks.ignores_bad_indices("x", "tf.f")


def test_a_check_says_what_it_looks_at() -> None:
    check = index_checks.looking_at(2)(lambda: None)
    assert check.arg == 2  # pyright: ignore[reportFunctionMemberAccess]
