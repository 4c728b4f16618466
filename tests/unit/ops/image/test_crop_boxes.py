"""Random parts of an image that show enough of an object."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tapeflow as tf

BOX = np.array([[[0.2, 0.2, 0.7, 0.8]]], np.float32)


def test_a_part_of_an_image_shows_enough_of_the_object() -> None:
    tf.random.set_seed(5)
    for _ in range(5):
        begin, size, box = tf.image.sample_distorted_bounding_box(
            [40, 60, 3], BOX, min_object_covered=0.5, area_range=[0.3, 0.9]
        )
        (top, left, _), (height, width, rest) = begin.numpy(), size.numpy()
        assert rest == -1
        assert 0.74 < width / height < 1.34
        assert 0.28 < height * width / 2400 < 0.92
        shared = np.minimum([top + height, left + width], [28, 48]) - np.maximum([top, left], [8, 12])
        assert np.prod(shared) >= 0.5 * 20 * 36 - 1e-3
        np.testing.assert_allclose(
            box[0, 0], [top / 40, left / 60, (top + height) / 40, (left + width) / 60], rtol=1e-6
        )
    same = [
        tf.image.stateless_sample_distorted_bounding_box([40, 60, 3], BOX, [1, 2]).begin.numpy() for _ in "ab"
    ]
    np.testing.assert_array_equal(*same)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(
            lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], tf.ones([2, 4])),
            r"\[batch, boxes, 4\]",
            id="boxes",
        ),
        pytest.param(
            lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], tf.ones([0, 0, 4])),
            "No bounding boxes provided",
            id="no boxes",
        ),
        pytest.param(
            lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], BOX, max_attempts=0),
            "got max_attempts=0",
            id="attempts",
        ),
        pytest.param(
            lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], BOX, area_range=[0.5, 2.0]),
            "got area_range",
            id="areas",
        ),
    ],
)
def test_wrong_arguments_raise(call: Callable[[], object], text: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()
