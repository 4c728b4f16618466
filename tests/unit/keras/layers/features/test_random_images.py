"""Random changes of images; what a given draw does is compared with Keras in tests/parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
IMAGES = np.random.default_rng(0).uniform(0, 255, (64, 4, 5, 2)).astype("float32")


@pytest.mark.parametrize(
    ("mode", "flips"),
    [
        ("horizontal", [lambda x: x, lambda x: x[:, ::-1]]),
        ("vertical", [lambda x: x, lambda x: x[::-1]]),
        (
            "horizontal_and_vertical",
            [lambda x: x, lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x[::-1, ::-1]],
        ),
    ],
)
def test_flips_each_image_by_itself(mode: str, flips: list[Any]) -> None:
    y = L.RandomFlip(mode, seed=1)(IMAGES).numpy()
    seen = [
        next(i for i, flip in enumerate(flips) if np.array_equal(flip(x), z))
        for x, z in zip(IMAGES, y, strict=True)
    ]
    assert set(seen) == set(range(len(flips)))
    assert min(np.bincount(seen)) > 64 / len(flips) / 3


def test_training_is_the_default_and_inference_changes_nothing() -> None:
    for layer in (L.RandomFlip(seed=1), L.RandomRotation(0.2, seed=1), L.RandomZoom(0.3, seed=1)):
        assert not np.array_equal(layer(IMAGES).numpy(), IMAGES)
        np.testing.assert_array_equal(layer(IMAGES, training=False).numpy(), IMAGES)


def test_predict_leaves_images_alone() -> None:
    model = tf.keras.Sequential([L.RandomFlip(input_shape=(4, 5, 2)), L.RandomRotation(0.3)])
    np.testing.assert_array_equal(model.predict(IMAGES, verbose=0), IMAGES)


def test_a_quarter_turn() -> None:
    x = IMAGES[:2, :4, :4]
    y = L.RandomRotation((0.25, 0.25))(x).numpy()
    np.testing.assert_allclose(y, np.rot90(x, axes=(1, 2)), atol=1e-3)


def test_integers_become_floats() -> None:
    y = L.RandomRotation(0.1, seed=1)(IMAGES.astype("uint8"))
    assert y.dtype == tf.float32


def test_contrast_keeps_the_mean() -> None:
    x = IMAGES / 255 * 40 + 100
    y = L.RandomContrast((0.5, 0.5), seed=3)(x).numpy()
    np.testing.assert_allclose(y.mean((1, 2)), x.mean((1, 2)), rtol=1e-4)
    ratio = y.std((1, 2)) / x.std((1, 2))
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-3)
    assert abs(ratio[0, 0] - 1) > 1e-3


def test_brightness_differs_between_images() -> None:
    x = np.full((8, 2, 2, 1), 100.0, "float32")
    y = L.RandomBrightness(0.2, seed=1)(x).numpy()
    assert len(np.unique(y)) == 8
    assert np.abs(y - 100).max() <= 51


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: L.RandomFlip("sideways"), ValueError, "received an unknown mode argument sideways"),
        (lambda: L.RandomFlip()(tf.ones((2, 3))), ValueError, "rank 3 or 4"),
        (lambda: L.RandomRotation(-0.1), ValueError, "`factor` argument cannot have a negative value"),
        (lambda: L.RandomRotation(0.1, "mirror"), NotImplementedError, "Unknown `fill_mode` mirror"),
        (
            lambda: L.RandomRotation(0.1, "wrap", "cubic"),
            NotImplementedError,
            "Unknown `interpolation` cubic",
        ),
        (lambda: L.RandomZoom(2), ValueError, r"must have values between \[-1, 1\]"),
        (lambda: L.RandomZoom(0.1, (-2, 0)), ValueError, "must have values larger than -1"),
        (lambda: L.RandomTranslation((0.2, 0.1), 0.1), ValueError, "upper bound less than lower bound"),
        (
            lambda: L.RandomTranslation(0.1, 2),
            ValueError,
            r"`width_factor` argument must have values between",
        ),
        (lambda: L.RandomContrast(-1), ValueError, "cannot have negative values"),
        (lambda: L.RandomBrightness(3), ValueError, r"in the range \[-1.0, 1.0\]"),
        (lambda: L.RandomBrightness(0.1, value_range=3), ValueError, "should be a list of two numbers"),
    ],
)
def test_wrong_arguments_and_images_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
