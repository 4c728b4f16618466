"""Labels as vectors, and vectors of length one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import utils


@pytest.mark.parametrize(
    ("y", "num_classes", "shape"),
    [([0, 2, 1], None, (3, 3)), ([[0], [2]], 4, (2, 4)), ([[0, 1], [2, 0]], None, (2, 2, 3)), (1, 3, (3,))],
)
def test_to_categorical(y: Any, num_classes: int | None, shape: tuple[int, ...]) -> None:
    rows = utils.to_categorical(y, num_classes)
    assert rows.shape == shape
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows.argmax(-1), np.asarray(y).reshape(shape[:-1]))
    np.testing.assert_array_equal(rows.sum(-1), 1)


def test_to_categorical_takes_floats_and_tensors() -> None:
    np.testing.assert_array_equal(utils.to_categorical(np.array([1.0, 0.0])), [[0, 1], [1, 0]])
    assert utils.to_categorical(tf.constant([1, 0]), dtype="int8").dtype == np.int8


@pytest.mark.parametrize(("label", "count"), [(3, 3), (-1, 3)])
def test_label_out_of_range(label: int, count: int) -> None:
    with pytest.raises(
        IndexError, match=f"labels from 0 to 2, as num_classes=3; got the label {label}. Count"
    ):
        utils.to_categorical([0, label], count)


def test_no_labels() -> None:
    assert utils.to_categorical([], 3).shape == (0, 3)
    with pytest.raises(ValueError, match="to_categorical expected at least one label .* Pass num_classes"):
        utils.to_categorical([])


def test_to_ordinal() -> None:
    np.testing.assert_array_equal(utils.to_ordinal([0, 1, 3]), [[0, 0, 0], [1, 0, 0], [1, 1, 1]])


def test_normalize() -> None:
    np.testing.assert_allclose(utils.normalize(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0, 0]])
    np.testing.assert_allclose(utils.normalize([[3.0, 4.0]], axis=0, order=1), [[1, 1]])
    assert tf.is_tensor(utils.normalize(tf.constant([[3.0, 4.0]])))
