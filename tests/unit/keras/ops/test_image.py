"""`tf.keras.ops.image`: what Keras 3 gives for the same calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

image = tf.keras.ops.image
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
B = X[None, :, :, None]
RGB = np.array([0.1, 0.5, 0.9], np.float32).reshape(1, 1, 1, 3)
CORNERS = np.array([[[0, 0], [0, 1], [2, 0], [2, 1]]], np.float32)


def flat(value: Any) -> list[float]:
    return np.ravel(np.asarray(value)).tolist()


# Keras 3's numbers.
CASES: list[tuple[Any, list[float]]] = [
    (lambda: image.resize(B, (1, 3)), [2.5, 3.5, 4.5]),
    (lambda: image.resize(B, (2, 2), crop_to_aspect_ratio=True), [1, 2, 4, 5]),
    (lambda: image.resize(B, (3, 3), pad_to_aspect_ratio=True, fill_value=7.0)[0, 2], [7, 7, 7]),
    (lambda: image.affine_transform(B, np.array([[1, 0, 1, 0, 1, 0, 0, 0]], np.float32)), [2, 3, 0, 5, 6, 0]),
    (lambda: image.crop_images(B, 0, 1, target_height=1, target_width=2), [2, 3]),
    (lambda: image.pad_images(B, 1, 0, target_height=3, target_width=4)[0, 1], [1, 2, 3, 0]),
    (lambda: image.extract_patches(B, (2, 2)), [1, 2, 4, 5]),
    (lambda: image.map_coordinates(X, np.array([[0.5, 9.0], [1.0, 0.0]], np.float32), order=1), [3.5, 0]),
    (lambda: image.map_coordinates(X, np.array([[9.0], [0.4]], np.float32), 0, "nearest"), [4]),
    (lambda: image.rgb_to_grayscale(RGB), [0.426]),
    (lambda: image.rgb_to_hsv(RGB), [0.583333, 0.888889, 0.9]),
    (lambda: image.hsv_to_rgb(image.rgb_to_hsv(RGB)), [0.1, 0.5, 0.9]),
    (lambda: image.gaussian_blur(B), [1.323, 2.274, 1.979, 1.710, 2.807, 2.366]),
    (lambda: image.perspective_transform(B, CORNERS, CORNERS), flat(X)),
]


@pytest.mark.parametrize(("call", "expected"), CASES)
def test_gives_what_keras_gives(call: Any, expected: list[float]) -> None:
    np.testing.assert_allclose(flat(call()), expected, atol=2e-3)


def test_channels_first_and_single_images() -> None:
    first = image.crop_images(np.moveaxis(B, -1, 1), 0, 1, 0, 0, data_format="channels_first")
    assert first.shape == (1, 1, 2, 2)
    assert image.resize(B[0], (4, 4)).shape == (4, 4, 1)
    assert image.extract_patches(B[0], (1, 2)).shape == (2, 1, 2)


def test_symbols() -> None:
    inputs = tf.keras.Input((2, 3, 1))
    model = tf.keras.Model(inputs, image.resize(inputs, (1, 3)))
    np.testing.assert_allclose(flat(model(B)), [2.5, 3.5, 4.5])


def test_errors() -> None:
    with pytest.raises(ValueError, match="expected fill_mode='constant'; got fill_mode='reflect'"):
        image.resize(B, (1, 1), fill_mode="reflect")
    with pytest.raises(ValueError, match="expected one of crop_to_aspect_ratio and pad_to_aspect_ratio"):
        image.resize(B, (1, 1), crop_to_aspect_ratio=True, pad_to_aspect_ratio=True)
    with pytest.raises(ValueError, match="crop_images expected two of the margins and the target size"):
        image.crop_images(B, 0, 1)
    with pytest.raises(ValueError, match="map_coordinates expected order 0 or 1"):
        image.map_coordinates(X, np.zeros((2, 1)), order=2)
