"""Diagonals and bands: every alignment, padding, batches, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.linalg import diagonal as tf

M = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
PARTS = {
    "LEFT_LEFT": [[3, 8, -1], [2, 7, 12], [1, 6, 11], [5, 10, -1], [9, -1, -1]],
    "LEFT_RIGHT": [[3, 8, -1], [2, 7, 12], [1, 6, 11], [-1, 5, 10], [-1, -1, 9]],
    "RIGHT_RIGHT": [[-1, 3, 8], [2, 7, 12], [1, 6, 11], [-1, 5, 10], [-1, -1, 9]],
    "RIGHT_LEFT": [[-1, 3, 8], [2, 7, 12], [1, 6, 11], [5, 10, -1], [9, -1, -1]],
}


def same(result: Any, expected: Any) -> None:
    np.testing.assert_array_equal(result.numpy(), expected)


def test_diag() -> None:
    same(tf.diag([1.0, 2.0]), [[1, 0], [0, 2]])
    same(tf.diag([1.0, 2.0], k=1), [[0, 1, 0], [0, 0, 2], [0, 0, 0]])
    same(tf.diag([1.0, 2.0], k=-1), [[0, 0, 0], [1, 0, 0], [0, 2, 0]])
    same(tf.diag([1.0, 2.0], k=(1, 1)), [[0, 1, 0], [0, 0, 2], [0, 0, 0]])
    same(tf.diag([1, 2], padding_value=7), [[1, 7], [7, 2]])
    same(tf.diag([True, True]), [[True, False], [False, True]])
    same(tf.diag([np.inf, np.nan]), [[np.inf, 0], [0, np.nan]])
    assert tf.diag(np.ones((5, 2))).shape == (5, 2, 2)


def test_diag_sizes() -> None:
    same(tf.diag([1.0, 2.0], num_rows=3), [[1, 0], [0, 2], [0, 0]])
    same(tf.diag([1.0, 2.0], num_cols=4), [[1, 0, 0, 0], [0, 2, 0, 0]])
    same(tf.diag([1.0, 2.0], k=1, num_rows=2), [[0, 1, 0], [0, 0, 2]])


@pytest.mark.parametrize(
    ("align", "rows"),
    [
        ("RIGHT_LEFT", [[0, 8, 9], [1, 2, 3], [4, 5, 0]]),
        ("LEFT_LEFT", [[8, 9, 0], [1, 2, 3], [4, 5, 0]]),
        ("LEFT_RIGHT", [[8, 9, 0], [1, 2, 3], [0, 4, 5]]),
        ("RIGHT_RIGHT", [[0, 8, 9], [1, 2, 3], [0, 4, 5]]),
    ],
)
def test_diag_of_a_band(align: str, rows: list[list[int]]) -> None:
    same(tf.diag(rows, k=(-1, 1), align=align), [[1, 8, 0], [4, 2, 9], [0, 5, 3]])


@pytest.mark.parametrize("align", PARTS)
def test_diag_part_of_a_band(align: str) -> None:
    same(tf.diag_part(M, k=(-2, 2), align=align, padding_value=-1.0), PARTS[align])


@pytest.mark.parametrize("k", [0, 1, -1, 3, -2, [1], np.int32(1), constant(-1)], ids=repr)
def test_diag_part(k: Any) -> None:
    number = int(np.asarray(k).reshape(()) if not isinstance(k, list) else k[0])
    same(tf.diag_part(M, k=k), np.diagonal(M, number))
    same(tf.diag_part(np.stack([M, M + 1]), k=k), np.diagonal(np.stack([M, M + 1]), number, 1, 2))


@pytest.mark.parametrize("align", PARTS)
@pytest.mark.parametrize("k", [(-1, 2), (0, 1), (-2, 0), (2, 2)])
def test_set_diag_undoes_diag_part(align: str, k: tuple[int, int]) -> None:
    parts = tf.diag_part(M, k=k, align=align)
    offset = np.arange(4) - np.arange(3)[:, None]
    emptied = np.where((offset >= k[0]) & (offset <= k[1]), np.float32(-9), M)
    same(tf.set_diag(emptied, parts, k=k, align=align), M)


def test_set_diag() -> None:
    same(tf.set_diag(M, [0, 0, 0])[0], [0, 2, 3, 4])
    same(tf.set_diag(np.ones((2, 2, 2)), np.full((2, 2), 3.0))[1], [[3, 1], [1, 3]])


@pytest.mark.parametrize(("lower", "upper"), [(1, 0), (-1, 0), (0, -1), (3, 4), (-2, 1), (0, 0)])
def test_band_part(lower: int, upper: int) -> None:
    offset = np.arange(4) - np.arange(3)[:, None]
    inside = ((lower < 0) | (-offset <= lower)) & ((upper < 0) | (offset <= upper))
    same(tf.band_part(M, lower, constant(upper)), np.where(inside, M, 0))


def test_trace() -> None:
    same(tf.trace(np.ones((2, 3, 4), np.float32)), [3, 3])
    assert tf.trace(np.ones((2, 2), np.int32)).dtype.name == "int32"


def test_transposes() -> None:
    assert tf.matrix_transpose(np.ones((2, 3, 4))).shape == (2, 4, 3)
    z = np.array([[1 + 1j, 2]])
    same(tf.matrix_transpose(z), z.T)
    same(tf.matrix_transpose(z, conjugate=True), z.conj().T)
    same(tf.adjoint(z), z.conj().T)


def test_tensor_diag() -> None:
    x = np.arange(6.0).reshape(2, 3)
    made = tf.tensor_diag(x)
    assert made.shape == (2, 3, 2, 3)
    same(tf.tensor_diag_part(made), x)
    same(tf.tensor_diag_part([[1, 2], [3, 4]]), [1, 4])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.diag(1.0), "expected a diagonal of rank 1 or more"),
        (lambda: tf.diag([1.0, 2.0], k=(0, 1)), "expected a diagonal of rank 2 or more"),
        (lambda: tf.diag(np.ones((3, 3)), k=(0, 1)), r"expected 2 diagonals for k=\(0, 1\)"),
        (lambda: tf.diag([1.0, 2.0], num_rows=1), "the number of rows is too small"),
        (lambda: tf.diag([1.0, 2.0], num_rows=3, num_cols=4), "not consistent"),
        (lambda: tf.diag([1.0, 2.0], align="x"), "expected align to be one of LEFT_RIGHT, RIGHT_LEFT"),
        (lambda: tf.diag(np.ones((2, 2)), k=(1, 0)), r"k\[0\] must not be larger than k\[1\]"),
        (lambda: tf.diag([1.0], k=(0, 1, 2)), r"expected one diagonal or a pair \(lowest, highest\)"),
        (lambda: tf.diag_part(M, k=5), r"expected diagonals between -2 and 3 .* k=5: out of bound"),
        (lambda: tf.diag_part(M[0]), "tf.linalg.diag_part expected a matrix, or a stack of them"),
        (lambda: tf.set_diag(M, [0.0, 0.0]), r"tf.linalg.set_diag expected a diagonal of shape \[3\]"),
        (lambda: tf.set_diag(M[0], [0.0]), "tf.linalg.set_diag expected a matrix"),
        (lambda: tf.set_diag(M, constant([1, 2, 3])), "MatrixSetDiagV3"),
        (lambda: tf.band_part(M, 5, 0), "expected num_lower of at most 3 and num_upper of at most 4"),
        (lambda: tf.band_part(M[0], 0, 0), "tf.linalg.band_part expected a matrix"),
        (lambda: tf.trace(M[0]), "tf.linalg.trace expected a matrix"),
        (lambda: tf.tensor_diag(1.0), "tf.linalg.tensor_diag expected rank 1 or more"),
        (lambda: tf.tensor_diag_part(M), "expected an even rank and equal halves of the shape"),
        (lambda: tf.tensor_diag_part(M[0]), "expected an even rank"),
    ],
)
def test_wrong_arguments_raise(call: Any, message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=message):
        call()


def test_transposes_refuse_vectors_with_a_value_error() -> None:
    for call in (tf.matrix_transpose, tf.adjoint):
        with pytest.raises(ValueError, match="expected a matrix, or a stack of them, of rank >= 2"):
            call([1.0])
