"""Datasets of the images, texts and sounds of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import errors

utils = tf.keras.utils


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("classes")
    for label, name in enumerate(("cat", "dog")):
        (root / name).mkdir()
        for i in range(5):
            pixels = np.full((6 + i, 8, 3), 40 * label + i, np.uint8)
            (root / name / f"{i}.png").write_bytes(tf.io.encode_png(pixels).numpy())
            (root / name / f"{i}.txt").write_text(f"{name} {i}")
    return root


def test_images(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = utils.image_dataset_from_directory(folder, image_size=(4, 4), batch_size=4, shuffle=False)
    assert capsys.readouterr().out == "Found 10 files belonging to 2 classes.\n"
    assert dataset.class_names == ["cat", "dog"]
    assert [Path(p).name for p in dataset.file_paths[:2]] == ["0.png", "1.png"]
    images, labels = next(iter(dataset))
    assert images.shape == [4, 4, 4, 3]
    np.testing.assert_allclose(images[:, 0, 0, 0], [0, 1, 2, 3])
    assert labels.numpy().tolist() == [0, 0, 0, 0]
    assert len(dataset) == 3


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [("int", [0, 1]), ("binary", [[0.0], [1.0]]), ("categorical", [[1.0, 0.0], [0.0, 1.0]])],
)
def test_label_modes(folder: Path, mode: str, wanted: Any) -> None:
    dataset = utils.text_dataset_from_directory(folder, label_mode=mode, batch_size=None, shuffle=False)
    found = [label.numpy().tolist() for _, label in dataset]
    assert [found[0], found[-1]] == wanted


def test_splits_do_not_overlap(folder: Path) -> None:
    options: Any = {"validation_split": 0.3, "seed": 1, "image_size": (2, 2)}
    train, validation = utils.image_dataset_from_directory(folder, subset="both", **options)
    alone = utils.image_dataset_from_directory(folder, subset="validation", **options)
    assert alone.file_paths == validation.file_paths
    assert not set(train.file_paths) & set(validation.file_paths)
    assert [len(d.file_paths) for d in (train, validation)] == [7, 3]
    for images, labels in train:  # labels stay with their files
        np.testing.assert_array_equal(images[:, 0, 0, 0].numpy() >= 40, labels.numpy() == 1)


def test_texts_and_other_ways_to_read(folder: Path) -> None:
    texts = utils.text_dataset_from_directory(folder, labels=None, max_length=3, batch_size=10, shuffle=False)
    assert next(iter(texts)).numpy().tolist() == [b"cat"] * 5 + [b"dog"] * 5
    gray = utils.image_dataset_from_directory(
        folder, labels=list(range(10)), color_mode="grayscale", image_size=(2, 4), crop_to_aspect_ratio=True
    )
    assert gray.element_spec[0].shape == [None, 2, 4, 1]
    assert gray.element_spec[1].dtype == tf.int32
    assert tf.keras.preprocessing.text_dataset_from_directory is utils.text_dataset_from_directory


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda p: utils.image_dataset_from_directory(p / "none"), errors.NotFoundError, "could not find"),
        (lambda p: utils.image_dataset_from_directory(p, label_mode="x"), ValueError, "label_mode to be"),
        (lambda p: utils.image_dataset_from_directory(p, labels="x"), ValueError, 'labels to be "inferred"'),
        (lambda p: utils.image_dataset_from_directory(p, labels=[1]), ValueError, "a label for each of 10 files"),
        (lambda p: utils.image_dataset_from_directory(p, color_mode="x"), ValueError, "color_mode to be one of"),
        (lambda p: utils.image_dataset_from_directory(p, size=3), TypeError, "unknown keyword"),
        (lambda p: utils.image_dataset_from_directory(p, class_names=["x"]), ValueError, "names of the folders"),
        (
            lambda p: utils.image_dataset_from_directory(p, labels=None, class_names=["x"]),
            ValueError,
            'only with labels="inferred"',
        ),
        (lambda p: utils.image_dataset_from_directory(p, validation_split=2.0), ValueError, "between 0 and 1"),
        (lambda p: utils.image_dataset_from_directory(p, validation_split=0.2), ValueError, "together"),
        (
            lambda p: utils.image_dataset_from_directory(p, validation_split=0.2, subset="x"),
            ValueError,
            "subset to be",
        ),
        (
            lambda p: utils.text_dataset_from_directory(p, validation_split=0.2, subset="training"),
            ValueError,
            "expected a seed",
        ),
        (
            lambda p: utils.text_dataset_from_directory(p, labels=list(range(10)), label_mode="binary"),
            ValueError,
            "two classes",
        ),
        (
            lambda p: utils.text_dataset_from_directory(p, subset="validation", validation_split=0.01, seed=1),
            ValueError,
            "none found",
        ),
    ],
)  # fmt: skip
def test_wrong_folders_and_labels_raise(folder: Path, call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(folder)


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sounds")
    for number, (name, length) in enumerate([("a/one", 3), ("a/two", 5), ("b/three", 4)]):
        path = folder / f"{name}.wav"
        path.parent.mkdir(exist_ok=True)
        samples = tf.fill((length, 1), (number + 1) / 8)
        path.write_bytes(tf.audio.encode_wav(samples, 16000).numpy())
    return folder


def read_sounds(folder: Path, **options: Any) -> Any:
    return utils.audio_dataset_from_directory(folder, batch_size=2, shuffle=False, **options)


def test_sounds_padded_to_the_longest_of_a_batch(sounds: Path) -> None:
    dataset = read_sounds(sounds)
    assert dataset.class_names == ["a", "b"]
    (first, labels), (last, _) = dataset.as_numpy_iterator()
    assert (first.shape, last.shape, labels.tolist()) == ((2, 5, 1), (1, 4, 1), [0, 0])
    assert first[0, :, 0].tolist() == [0.125, 0.125, 0.125, 0, 0]


def test_sounds_of_one_length_and_ragged(sounds: Path) -> None:
    (first, labels), (last, _) = read_sounds(
        sounds, output_sequence_length=4, label_mode="categorical"
    ).as_numpy_iterator()
    assert (first.shape, last.shape, labels.tolist()) == ((2, 4, 1), (1, 4, 1), [[1, 0], [1, 0]])
    ragged = next(iter(read_sounds(sounds, ragged=True, labels=None)))
    assert ragged.row_lengths().numpy().tolist() == [3, 5]


def test_wrong_lengths_and_rates_of_sounds_raise(sounds: Path) -> None:
    with pytest.raises(ValueError, match="Cannot set both `ragged` and `output_sequence_length`"):
        read_sounds(sounds, ragged=True, output_sequence_length=3)
    with pytest.raises(ValueError, match="expected sampling_rate=None"):
        read_sounds(sounds, sampling_rate=8000)
