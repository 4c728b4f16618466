"""Images to arrays and back."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import utils


@pytest.fixture
def pixels() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (6, 8, 3)).astype("float32")


def test_round_trip_through_a_file(pixels: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    utils.save_img(path, pixels, scale=False)
    for source in (path, str(path), io.BytesIO(path.read_bytes())):
        array = utils.img_to_array(utils.load_img(source))
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, pixels)
    first = utils.img_to_array(utils.load_img(path), data_format="channels_first", dtype="uint8")
    np.testing.assert_array_equal(first, pixels.transpose(2, 0, 1))


@pytest.mark.parametrize(("mode", "channels"), [("grayscale", 1), ("rgb", 3), ("rgba", 4)])
def test_color_modes_and_sizes(mode: str, channels: int, pixels: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    utils.save_img(path, pixels)
    image = utils.load_img(path, color_mode=mode, target_size=(4, 5), interpolation="bilinear")
    assert utils.img_to_array(image).shape == (4, 5, channels)


def test_keeping_the_aspect_ratio_cuts_the_sides(tmp_path: Path) -> None:
    array = np.zeros((4, 12, 1))
    array[:, 4:8] = 255
    path = tmp_path / "a.png"
    utils.save_img(path, array)
    image = utils.load_img(path, color_mode="grayscale", target_size=(2, 2), keep_aspect_ratio=True)
    np.testing.assert_array_equal(utils.img_to_array(image), np.full((2, 2, 1), 255))


def test_scaling_and_modes() -> None:
    array = np.array([[[1.0], [3.0]]])
    np.testing.assert_array_equal(np.asarray(utils.array_to_img(array)), [[0, 255]])
    assert utils.array_to_img(array * 200, scale=False).mode == "I"
    assert utils.array_to_img(np.ones((4, 2, 2)), data_format="channels_first").mode == "RGBA"


def test_jpg_has_no_transparency(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="JPG format does not support RGBA images, converting to RGB"):
        utils.save_img(tmp_path / "a.jpg", np.ones((4, 4, 4)), file_format="jpg")
    assert utils.load_img(tmp_path / "a.jpg").mode == "RGB"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: utils.array_to_img(np.ones((2, 2))), ValueError, "Expected image array to have rank 3"),
        (lambda: utils.array_to_img(np.ones((2, 2, 2))), ValueError, "Unsupported channel number: 2"),
        (lambda: utils.img_to_array(np.ones(2)), ValueError, "Unsupported image shape: .2,."),
        (lambda: utils.load_img(3), TypeError, "path should be path-like or io.BytesIO, not"),
        (
            lambda: utils.load_img("x", color_mode="cmyk"),
            ValueError,
            'color_mode must be "grayscale", "rgb", or',
        ),
    ],
)
def test_wrong_arrays_paths_and_modes_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_unknown_interpolation(pixels: np.ndarray, tmp_path: Path) -> None:
    utils.save_img(tmp_path / "a.png", pixels)
    with pytest.raises(
        ValueError, match="Invalid interpolation method cubic specified. Supported methods are near"
    ):
        utils.load_img(tmp_path / "a.png", target_size=(2, 2), interpolation="cubic")


def test_without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="tf.keras.utils.load_img needs Pillow, which is not installed"):
        utils.load_img("a.png")


@pytest.mark.parametrize(
    ("size", "corner"),
    [((3, 3), [4.0, 34.0]), ((2, 5), [10.3, 28.7]), ((6, 2), [3.0, 35.0])],
    ids=["3x3", "2x5", "6x2"],
)
def test_smart_resize_cuts_before_it_resizes(size, corner) -> None:
    image = np.arange(40, dtype="float32").reshape(5, 8, 1)
    smart_resize = tf.keras.preprocessing.image.smart_resize
    found = smart_resize(image, size)
    assert isinstance(found, np.ndarray)
    assert found.shape == (*size, 1)
    np.testing.assert_allclose([found[0, 0, 0], found[-1, -1, 0]], corner, rtol=1e-5)  # as in TensorFlow 2.21
    batch = smart_resize(tf.constant(image[None]), size)
    np.testing.assert_array_equal(batch[0], found)


def test_smart_resize_of_what_is_no_image() -> None:
    with pytest.raises(
        ValueError, match=r"smart_resize expected images .*; got shape \(5, 8\) and size=\(2, 2\)"
    ):
        tf.keras.preprocessing.image.smart_resize(np.zeros((5, 8)), (2, 2))
