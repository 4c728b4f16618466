"""Generators of changed images: sources, order, seeds, and what they refuse. Their numbers are in tests/parity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tapeflow as tf

image = tf.keras.preprocessing.image
RNG = np.random.default_rng(0)
IMAGES = RNG.uniform(0, 255, (6, 8, 8, 3)).astype(np.float32)
LABELS = np.arange(6)
WRONG: Any = (1,)


def test_all_images_come_once_an_epoch() -> None:
    batches = image.ImageDataGenerator().flow(IMAGES, LABELS, batch_size=4, seed=1)
    assert len(batches) == 2
    seen = np.concatenate([batches[i][1] for i in range(2)])
    assert sorted(seen) == list(range(6))
    stream = iter(batches)
    assert [len(next(stream)[0]) for _ in range(4)] == [4, 2, 4, 2]
    batches.reset()
    with pytest.raises(ValueError, match="Asked to retrieve element 2"):
        batches[2]


def test_subsets_share_the_images() -> None:
    generator = image.ImageDataGenerator(validation_split=1 / 3)
    for subset, count in (("training", 4), ("validation", 2)):
        assert generator.flow(IMAGES, LABELS, subset=subset).n == count
    with pytest.raises(ValueError, match="Invalid subset name"):
        generator.flow(IMAGES, subset="test")


def test_fit_trains_on_a_generator() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    generator = image.ImageDataGenerator(rescale=1 / 255, horizontal_flip=True, rotation_range=10)
    history = model.fit(generator.flow(IMAGES, LABELS, batch_size=3), epochs=2, verbose=0)
    assert np.isfinite(history.history["loss"]).all()


def test_statistics_are_learned() -> None:
    generator = image.ImageDataGenerator(featurewise_center=True, featurewise_std_normalization=True)
    with pytest.warns(UserWarning, match="hasn't been fit"):
        generator.standardize(IMAGES[0].copy())
    generator.fit(IMAGES)
    found = np.stack([generator.standardize(x.copy()) for x in IMAGES])
    np.testing.assert_allclose(found.mean((0, 1, 2)), 0, atol=1e-4)
    np.testing.assert_allclose(found.std((0, 1, 2)), 1, atol=1e-4)
    white = image.ImageDataGenerator(zca_whitening=True)
    white.fit(IMAGES, augment=True, rounds=1, seed=2)
    assert white.standardize(IMAGES[0].copy()).shape == (8, 8, 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("cats", "dogs"):
        (tmp_path / name).mkdir()
        for i in range(3):
            image.save_img(tmp_path / name / f"{i}.png", IMAGES[i])
    return tmp_path


@pytest.mark.parametrize(
    ("mode", "shape"), [("categorical", (6, 2)), ("binary", (6,)), ("sparse", (6,)), ("input", (6, 5, 4, 3))]
)
def test_folders_are_classes(
    folder: Path, mode: str, shape: tuple[int, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    batches = image.ImageDataGenerator().flow_from_directory(folder, target_size=(5, 4), class_mode=mode)
    assert "Found 6 images belonging to 2 classes." in capsys.readouterr().out
    x, y = batches[0]
    assert (x.shape, y.shape) == ((6, 5, 4, 3), shape)
    assert batches.class_indices == {"cats": 0, "dogs": 1}
    assert batches.filenames[0] == "cats/0.png"
    assert sorted(batches.labels) == [0, 0, 0, 1, 1, 1]


def test_images_without_labels_are_written_too(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    batches = image.ImageDataGenerator().flow_from_directory(
        folder, (5, 4), "grayscale", ["cats"], None, batch_size=2, save_to_dir=str(out), save_prefix="x"
    )
    assert batches[0].shape == (2, 5, 4, 1)
    assert len(list(out.glob("x_*.png"))) == 2


def test_tables_name_files(folder: Path) -> None:
    table = pd.DataFrame(
        {"filename": ["cats/0.png", "dogs/1.png", "none.png"], "class": ["c", "d", "c"], "v": [1, 2, 3]}
    )
    with pytest.warns(UserWarning, match="1 invalid image filename"):
        batches = image.ImageDataGenerator().flow_from_dataframe(
            table, str(folder), target_size=(5, 4), shuffle=False
        )
    np.testing.assert_array_equal(batches[0][1], [[1, 0], [0, 1]])
    raw = image.ImageDataGenerator().flow_from_dataframe(
        table[:2], str(folder), y_col="v", class_mode="raw", target_size=(5, 4), shuffle=False
    )
    np.testing.assert_array_equal(raw[0][1], [1, 2])


def test_tables_with_several_labels_and_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame(
        {"filename": ["0.png", "1.png"], "class": [["a", "b"], "b"], "v": [1, 2], "w": [0.5, 2]}
    )

    def first(**options: Any) -> Any:
        options = {"target_size": (5, 4), "shuffle": False, **options}
        batches = image.ImageDataGenerator().flow_from_dataframe(table, str(folder / "cats"), **options)
        assert batches.filenames == ["0.png", "1.png"][: len(batches.filenames)]
        return batches[0]

    _, y, weights = first(weight_col="w")
    np.testing.assert_array_equal(y, [[1, 1], [0, 1]])
    np.testing.assert_array_equal(weights, [0.5, 2])
    assert "Found 2 validated image filenames belonging to 2 classes." in capsys.readouterr().out
    v, w = first(y_col=["v", "w"], class_mode="multi_output", validate_filenames=False)[1]
    assert (list(v), list(w)) == ([1, 2], [0.5, 2])
    assert "Found 2 non-validated image filenames." in capsys.readouterr().out
    assert first(classes=["a"])[1].tolist() == [[1]]


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda: image.ImageDataGenerator(validation_split=2), ValueError, "strictly between 0 and 1"),
        (lambda: image.ImageDataGenerator(brightness_range=(1,)), ValueError, "brightness_range should be"),
        (lambda: image.ImageDataGenerator(zoom_range=(1, 2, 3)), ValueError, "zoom_range"),
        (lambda: image.ImageDataGenerator().flow(IMAGES[0]), ValueError, "should have rank 4"),
        (lambda: image.ImageDataGenerator().flow(IMAGES, LABELS[:2]), ValueError, "same length"),
        (lambda: image.ImageDataGenerator().fit(IMAGES[0]), ValueError, "should have rank 4"),
        (
            lambda: image.ImageDataGenerator().flow_from_directory("missing"),
            FileNotFoundError,
            "expected a folder",
        ),
        (lambda: image.apply_affine_transform(IMAGES), ValueError, "expected an image of 3 axes"),
        (lambda: image.random_zoom(IMAGES[0], WRONG), ValueError, "two floats"),
        (lambda: image.random_brightness(IMAGES[0], WRONG), ValueError, "two floats"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(wrong: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        wrong()


def test_an_unknown_class_mode_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="Invalid class_mode"):
        image.ImageDataGenerator().flow_from_directory(folder, class_mode="x")


@pytest.mark.parametrize("name", ["random_rotation", "random_shear", "random_channel_shift"])
def test_single_images_are_changed(name: str) -> None:
    assert getattr(image, name)(IMAGES[0].transpose(2, 0, 1), 20).shape == (3, 8, 8)


def test_shifts_zooms_and_brightness() -> None:
    first = IMAGES[0].transpose(2, 0, 1)
    assert image.random_shift(first, 0.2, 0.2).shape == (3, 8, 8)
    assert image.random_zoom(first, (0.8, 1.2)).shape == (3, 8, 8)
    assert image.random_brightness(IMAGES[0], (0.5, 1.5)).shape == (8, 8, 3)
    bright = image.ImageDataGenerator(brightness_range=(0.5, 0.5)).random_transform(IMAGES[0], seed=1)
    np.testing.assert_allclose(bright, IMAGES[0] / 2, atol=1.5)
