"""`einsum`: the notation, its strictness, and agreement with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.linalg.einsum import _summed_of_projection, einsum

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("ba", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("ij->i", [(2, 3)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("i j , j k -> i k", [(2, 3), (3, 4)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (3, 4)]),
        ("...ba", [(4, 2, 3)]),
        ("i...,i...->...", [(2, 3), (2, 1)]),
        ("...,...->...", [(2, 3), (3,)]),
        ("Aa->aA", [(2, 3)]),
        ("bqhd,bkhd->bhqk", [(2, 3, 4, 5), (2, 6, 4, 5)]),
        ("abc,cd->abd", [(2, 3, 4), (4, 5)]),
        ("abc,cde->abde", [(2, 100, 4), (4, 5, 6)]),
        ("abcd,cde->abe", [(2, 100, 4, 5), (4, 5, 6)]),
        ("...c,cd->...d", [(2, 3, 4), (4, 5)]),
        ("ab,bc->ac", [(2, 0), (0, 3)]),
        ("ab,cb->ac", [(2, 3), (4, 3)]),
        ("->", [()]),
    ],
    ids=repr,
)
def test_agrees_with_numpy(equation: str, shapes: list[tuple[int, ...]]) -> None:
    inputs = [np.asarray(RNG.normal(size=s), np.float32) for s in shapes]
    result = einsum(equation, *inputs)
    expected = np.einsum(equation.replace(" ", ""), *inputs)
    assert result.dtype.name == "float32"
    assert tuple(result.shape) == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("equation", "summed"),
    [
        ("ab,bc->ac", 1),
        ("...ab,abcd->...cd", 2),
        ("abc,cde->abde", 1),
        ("ab,cb->ac", None),
        ("ab,bc->ca", None),
        ("ab,bc->abc", None),
        ("aab,bc->aac", None),
        ("b,bc->c", None),
        ("ab,b->a", None),
        ("ab,bc,cd->ad", None),
        ("ab,...bc->...ac", None),
    ],
)
def test_products_with_a_matrix_are_recognised(equation: str, summed: int | None) -> None:
    assert _summed_of_projection(equation) == summed


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "bfloat16", "float64", "complex64"])
def test_dtype_is_kept(dtype: str) -> None:
    x = constant(np.ones((2, 2)), dtype)
    assert einsum("ij,jk->ik", x, x).dtype.name == dtype
    assert einsum("ij->", x).dtype.name == dtype


def test_name_and_optimize_are_taken() -> None:
    assert einsum("ij->i", np.ones((2, 3)), optimize="greedy", name="x").shape == (2,)


@pytest.mark.parametrize(
    ("equation", "shapes", "error", "message"),
    [
        ("ij,jk->ik", [(2, 3)], ValueError, "expected 2 inputs for equation='ij,jk->ik'; got 1"),
        ("ij->ij", [], ValueError, "expected 1 inputs for equation='ij->ij'; got 0"),
        ("i1->i", [(2, 3)], ValueError, "subscripts have incorrect format"),
        ("ij-ji", [(2, 3)], ValueError, "subscripts have incorrect format"),
        ("ij->ji->ij", [(2, 3)], ValueError, "subscripts have incorrect format"),
        ("i..j->i", [(2, 3)], ValueError, "subscripts have incorrect format"),
        ("ij,jk->iz", [(2, 3), (3, 4)], ValueError, "the label z not present in the input subscripts"),
        ("ij->ii", [(2, 2)], ValueError, "a label appearing more than once, i"),
        ("ij,jk->ik", [(2, 3), (3,)], errors.InvalidArgumentError, "input 1 to have rank 2; got shape"),
        ("ij...->i...", [(2,)], errors.InvalidArgumentError, "input 0 to have rank at least 2"),
        ("ij,jk->ik", [(2, 3), (4, 5)], errors.InvalidArgumentError, "dimension 3 at axis 0 of input 1"),
        ("ij,jk->ik", [(2, 1), (3, 5)], errors.InvalidArgumentError, "dimension 1 at axis 0 of input 1"),
        ("ii->i", [(2, 3)], errors.InvalidArgumentError, "dimension 2 at axis 1 of input 0"),
        ("...i->i", [(2, 3)], errors.InvalidArgumentError, r"expected `\.\.\.` in the result"),
        ("i...,i...->...", [(2, 3), (2, 4)], errors.InvalidArgumentError, "Einsum got incompatible"),
    ],
    ids=repr,
)
def test_wrong_arguments_raise(
    equation: str, shapes: list[Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        einsum(equation, *[np.ones(s, np.float32) for s in shapes])


def test_refuses_other_keywords() -> None:
    with pytest.raises(TypeError, match="no keyword arguments but name and optimize; got foo"):
        einsum("ij->i", np.ones((2, 3)), foo=1)


def test_refuses_another_kind_of_equation() -> None:
    with pytest.raises(TypeError, match="expected a string for equation; got equation=3"):
        einsum(3, np.ones(2))  # type: ignore[arg-type]


def test_refuses_bools_and_mixed_dtypes() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Einsum expected a number tensor"):
        einsum("ij->ji", [[True]])
    with pytest.raises(errors.InvalidArgumentError, match="cannot compute Einsum as input #1"):
        einsum("i,i->i", constant([1.0]), constant([1.0], "float64"))
