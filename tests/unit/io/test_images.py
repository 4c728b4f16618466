"""Images: round trips, channels, frames, and what is no image."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tapeflow as tf
from tapeflow.engine import errors

PIXELS = np.random.RandomState(0).randint(0, 256, (5, 7, 4)).astype(np.uint8)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png_round_trip(channels: int) -> None:
    image = PIXELS[..., :channels]
    png = tf.io.encode_png(image)
    np.testing.assert_array_equal(tf.io.decode_png(png).numpy(), image)
    np.testing.assert_array_equal(tf.image.decode_image(png).numpy(), image) if channels != 2 else None


def test_png_of_sixteen_bits() -> None:
    image = PIXELS[..., :1].astype(np.uint16) * 257
    found = tf.io.decode_png(tf.io.encode_png(image), dtype=tf.uint16)
    np.testing.assert_array_equal(found.numpy(), image)


def test_jpeg_is_close() -> None:
    smooth = np.tile(np.linspace(0, 255, 16).astype(np.uint8)[:, None, None], (1, 16, 3))
    jpeg = tf.io.encode_jpeg(smooth)
    assert np.abs(tf.io.decode_jpeg(jpeg).numpy().astype(int) - smooth).max() < 6
    assert tf.io.decode_jpeg(jpeg, ratio=2).shape == [8, 8, 3]
    assert tf.io.decode_and_crop_jpeg(jpeg, [1, 2, 3, 4]).shape == [3, 4, 3]
    assert bool(tf.io.is_jpeg(jpeg))
    assert tf.io.extract_jpeg_shape(jpeg).numpy().tolist() == [16, 16, 3]


def test_gif_bmp_and_animation() -> None:
    frames = [Image.fromarray(np.full((3, 4), v, np.uint8)) for v in (0, 255)]
    gif, bmp = io.BytesIO(), io.BytesIO()
    frames[0].save(gif, "GIF", save_all=True, append_images=frames[1:])
    frames[1].convert("RGB").save(bmp, "BMP")
    assert tf.io.decode_gif(gif.getvalue()).shape == [2, 3, 4, 3]
    assert tf.io.decode_image(gif.getvalue()).shape == [2, 3, 4, 3]
    assert tf.io.decode_image(gif.getvalue(), expand_animations=False).shape == [3, 4, 3]
    assert tf.io.decode_bmp(bmp.getvalue()).numpy().min() == 255
    assert tf.io.decode_image(bmp.getvalue(), dtype=tf.float32).numpy().max() == 1.0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda png: tf.io.decode_image(b"no image"),
            errors.InvalidArgumentError,
            "unknown image file format",
        ),
        (lambda png: tf.io.decode_png(png[:60]), errors.InvalidArgumentError, "invalid or truncated data"),
        (lambda png: tf.io.decode_png([png]), errors.InvalidArgumentError, "expected one string"),
        (lambda png: tf.io.decode_png(png, channels=5), errors.InvalidArgumentError, "channels to be one of"),
        (lambda png: tf.io.decode_png(png, dtype=tf.int32), TypeError, "uint8 or uint16"),
        (lambda png: tf.io.decode_image(png, dtype=tf.int32), TypeError, "uint8, uint16 or a floating"),
        (lambda png: tf.io.decode_jpeg(png, ratio=3), errors.InvalidArgumentError, "ratio of 1, 2, 4 or 8"),
        (lambda png: tf.io.encode_png(PIXELS[0]), errors.InvalidArgumentError, "height, width and 1 to 4"),
        (lambda png: tf.io.encode_jpeg(PIXELS), errors.InvalidArgumentError, "1 or 3 channels"),
        (
            lambda png: tf.io.encode_png(PIXELS.astype(np.uint16)),
            errors.InvalidArgumentError,
            "one channel for uint16",
        ),
        (
            lambda png: tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(PIXELS[..., :3]), [0, 0, 9, 9]),
            errors.InvalidArgumentError,
            "a window inside of the image",
        ),
    ],
)
def test_undecodable_images_and_wrong_arguments_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(tf.io.encode_png(PIXELS).numpy())
