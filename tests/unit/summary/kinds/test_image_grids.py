"""`image_grid`: where pictures lie, and what is written below them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tapeflow as tf
from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.drawing import RIGHT, WRONG
from tapeflow.summary.kinds.image_grids import grid_picture, texts_of

PICTURES = np.random.default_rng(0).integers(0, 256, (5, 8, 8, 3), dtype=np.uint8)


def has_colour(picture: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((picture == np.array(colour, np.uint8)).all(axis=-1).any())


def test_pictures_are_enlarged_by_a_whole_factor_and_lie_in_rows() -> None:
    picture = grid_picture(PICTURES)
    assert picture.shape == (2 * 70 + 6, 3 * 70 + 6, 3)
    for i, (row, column) in enumerate(((0, 0), (0, 1), (0, 2), (1, 0), (1, 1))):
        y, x = 6 + row * 70, 6 + column * 70
        np.testing.assert_array_equal(picture[y + 4 : y + 64 : 8, x + 4 : x + 64 : 8], PICTURES[i])
    assert (picture[76:140, 146:] == 255).all()  # nothing in the sixth place


def test_large_pictures_stay_as_they_are() -> None:
    large = np.zeros((1, 100, 200, 1), np.uint8)
    assert grid_picture(large).shape == (100 + 12, 200 + 12, 3)
    assert grid_picture(np.zeros((4, 100, 200, 1)), columns=4).shape == (112, 4 * 206 + 6, 3)


def test_captions_are_green_or_red() -> None:
    labels = ["cat"] * 5
    assert not has_colour(grid_picture(PICTURES * 0, labels), WRONG)
    right = grid_picture(PICTURES * 0, labels, labels)
    assert has_colour(right, RIGHT)
    assert not has_colour(right, WRONG)
    assert has_colour(grid_picture(PICTURES * 0, labels, ["dog", *labels[1:]]), WRONG)


def test_what_is_transparent_is_white() -> None:
    pixels = np.zeros((1, 64, 64, 4), np.uint8)
    pixels[..., :32, 3] = 255
    picture = grid_picture(pixels)
    assert (picture[10, 10] == 0).all()
    assert (picture[10, 60] == 255).all()


@pytest.mark.parametrize(
    ("labels", "texts"),
    [
        (np.array([0, 2]), ["a", "c"]),
        (np.array([[0], [2]]), ["a", "c"]),
        (np.array([[0.1, 0.2, 0.7], [0.9, 0, 0]]), ["c", "a"]),
        (np.array(["x", b"y"], object), ["x", "y"]),
        (np.array([3, -1]), ["3", "-1"]),
        (np.array([1.0, 0.5]), ["b", "0.5"]),
    ],
    ids=["ids", "column", "scores", "texts", "unknown", "floats"],
)
def test_texts(labels: np.ndarray, texts: list[str]) -> None:
    assert texts_of(labels, ["a", "b", "c"]) == texts


def test_numbers_without_names_are_written() -> None:
    assert texts_of(np.array([3, 4])) == ["3", "4"]


@pytest.mark.parametrize("shape", [(5, 8, 8, 3), (5, 8, 8, 1), (5, 8, 8)])
def test_it_is_one_picture(writer: FileWriter, shape: tuple[int, ...]) -> None:
    with writer.as_default():
        assert summary.image_grid("g", np.zeros(shape), [0] * 5, ["cat"], step=2, max_images=4)
    series = summary.read(writer.logdir)["g"]
    assert (series.plugin, series.steps.tolist()) == ("images", [2])
    width, height, data = series.values[0]
    assert Image.open(io.BytesIO(data)).size == (int(width), int(height)) == (2 * 70 + 6, 2 * 88 + 6)


def test_it_is_written_inside_a_function(tmp_path: Path) -> None:
    @tf.function
    def show(images: Any, labels: Any) -> Any:
        summary.image_grid("g", images / 2.0, labels, step=0, predictions=labels)
        return images

    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        for value in (0.2, 1.0):
            show(tf.fill((2, 64, 64, 1), value), tf.constant([1, 2]))
    writer.close()
    pictures = [np.asarray(Image.open(io.BytesIO(v[2]))) for v in summary.read(tmp_path)["g"].values]
    assert [int(p[20, 20, 0]) for p in pictures] == [25, 127]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"images": np.zeros((8, 8))}, ValueError, r"image_grid expected data of rank 4"),
        ({"images": np.zeros((2, 8, 8, 5))}, ValueError, r"1, 2, 3 or 4 channels"),
        (
            {"images": PICTURES, "labels": [1]},
            ValueError,
            r"labels for each of 5 images; got labels of shape",
        ),
        ({"images": PICTURES, "predictions": 1}, ValueError, r"predictions for each of 5 images"),
        ({"images": PICTURES, "columns": 0}, ValueError, r"at least 1 column; got columns=0"),
        (
            {"images": PICTURES, "max_images": -1},
            ValueError,
            r"max_images to be at least 0; got max_images=-1",
        ),
        ({"images": np.array([[["x"]]])}, TypeError, r"image_grid expected numbers"),
    ],
    ids=["rank", "channels", "labels", "predictions", "columns", "max_images", "text"],
)
def test_wrong_arguments_raise(
    writer: FileWriter, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    with writer.as_default(), pytest.raises(error, match=text):
        summary.image_grid("g", step=0, **arguments)
