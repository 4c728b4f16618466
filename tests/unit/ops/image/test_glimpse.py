"""Windows of an image around a point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tapeflow as tf

IMAGES = np.random.default_rng(1).normal(size=(1, 7, 7, 2)).astype(np.float32)


def test_noise_of_a_glimpse_lies_within_the_image() -> None:
    for noise in ("uniform", "gaussian"):
        found = tf.image.extract_glimpse(IMAGES, [4, 4], [[1.0, 1.0]], noise=noise).numpy()
        np.testing.assert_array_equal(found[0, :2, :2], IMAGES[0, 5:, 5:])
        outside = found[0, 2:]
        assert len(np.unique(outside)) == outside.size
        assert noise == "gaussian" or (outside.min() >= IMAGES.min() and outside.max() <= IMAGES.max())


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(
            lambda: tf.image.extract_glimpse(IMAGES, [3], [[0.0, 0.0]]), "a size of two numbers", id="glimpse"
        ),
        pytest.param(
            lambda: tf.image.extract_glimpse(IMAGES, [3, 3], [[0.0, 0.0]], noise="x"),
            "got noise='x'",
            id="noise",
        ),
    ],
)
def test_wrong_arguments_raise(call: Callable[[], object], text: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()
