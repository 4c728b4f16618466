"""Weights as pictures: which can be drawn, and how they are laid out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.callbacks.weight_pictures import as_pictures, is_drawable, weight_picture


@pytest.fixture
def channels_first() -> Iterator[None]:
    tf.keras.backend.set_image_data_format("channels_first")
    yield
    tf.keras.backend.set_image_data_format("channels_last")


@pytest.mark.parametrize(
    ("shape", "pictures"),
    [
        ((5,), (1, 5, 1, 1)),
        ((2, 5), (1, 2, 5, 1)),
        ((5, 2), (1, 2, 5, 1)),
        ((5, 1), (1, 5, 1, 1)),
        ((2, 3, 4), (4, 2, 3, 1)),
        ((2, 3, 1, 4), (4, 2, 3, 1)),
        ((2, 3, 5, 4), (2, 3, 5, 4)),
    ],
)
def test_the_layout_of_a_drawable_weight(shape: tuple[int, ...], pictures: tuple[int, ...]) -> None:
    weight = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert is_drawable(shape)
    found = as_pictures(weight)
    assert found.shape == pictures
    assert sorted(found.ravel()) == sorted(weight.ravel())


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2, 2, 5, 2), (2, 2, 2, 2, 3)])
def test_what_cannot_be_drawn(shape: tuple[int, ...]) -> None:
    assert not is_drawable(shape)


def test_a_matrix_lies_on_its_longer_side() -> None:
    weight = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    assert as_pictures(weight)[0, ..., 0].tolist() == [[1, 3, 5], [2, 4, 6]]


def test_of_three_dimensions_the_last_counts_pictures() -> None:
    weight = np.arange(24.0).reshape(2, 3, 4)
    assert (as_pictures(weight)[1, ..., 0] == weight[..., 1]).all()


@pytest.mark.usefixtures("channels_first")
def test_with_channels_first_the_first_counts_pictures() -> None:
    weight = np.arange(24.0).reshape(2, 3, 4)
    assert (as_pictures(weight)[1, ..., 0] == weight[1]).all()


def test_an_image_summary_begins_with_width_and_height() -> None:
    width, height, picture = weight_picture(np.zeros((2, 5), np.float32))
    assert (width, height, picture[:4]) == (b"5", b"2", b"\x89PNG")
