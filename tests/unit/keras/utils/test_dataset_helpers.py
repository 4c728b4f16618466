"""`image_dataset_from_directory` and its kin."""

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


def test_windows_over_time() -> None:
    data = np.arange(20.0)
    dataset = utils.timeseries_dataset_from_array(
        data, data * 10, 4, sequence_stride=3, sampling_rate=2, batch_size=2
    )
    found = [
        (w.tolist(), float(t)) for ws, ts in dataset for w, t in zip(ws.numpy(), ts.numpy(), strict=True)
    ]
    assert found == [([s, s + 2, s + 4, s + 6], s * 10) for s in (0.0, 3.0, 6.0, 9.0, 12.0)]
    part = utils.timeseries_dataset_from_array(data, None, 3, start_index=5, end_index=9, batch_size=None)
    assert [w.numpy().tolist() for w in part] == [[5, 6, 7], [6, 7, 8]]
    shuffled = utils.timeseries_dataset_from_array(data, data, 3, shuffle=True, seed=1, batch_size=32)
    windows, targets = next(iter(shuffled))
    np.testing.assert_array_equal(windows[:, 0], targets)
    assert sorted(targets.numpy().tolist()) == list(range(18))


def test_split_dataset() -> None:
    left, right = utils.split_dataset(np.arange(10), left_size=0.7)
    assert [[int(x) for x in part] for part in (left, right)] == [list(range(7)), [7, 8, 9]]
    batched = tf.data.Dataset.from_tensor_slices((np.arange(10), np.arange(10) * 2)).batch(3)
    left, right = utils.split_dataset(batched, left_size=4, right_size=2)
    assert [[p.numpy().tolist() for p in batch] for batch in left] == [[[0, 1, 2], [0, 2, 4]], [[3], [6]]]
    assert [[p.numpy().tolist() for p in batch] for batch in right] == [[[8, 9], [16, 18]]]
    mixed, _ = utils.split_dataset((np.arange(6), np.arange(6)), right_size=2, shuffle=True, seed=4)
    assert sorted(int(a) for a, b in mixed if int(a) == int(b)) != []


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
        (lambda p: utils.timeseries_dataset_from_array([1, 2], None, 5), ValueError, "sequence_length above 0"),
        (
            lambda p: utils.timeseries_dataset_from_array(np.arange(9), None, 2, end_index=20),
            ValueError,
            "start_index below end_index",
        ),
        (lambda p: utils.split_dataset(np.arange(9)), ValueError, "at least one of them"),
        (lambda p: utils.split_dataset(np.arange(9), 20), ValueError, "between 0 and 9"),
        (lambda p: utils.split_dataset(np.arange(9), "1"), TypeError, "left_size to be a number"),
        (lambda p: utils.split_dataset(np.arange(9), 8, 8), ValueError, "two parts of 9 elements"),
        (lambda p: utils.split_dataset(3, 0.5), TypeError, "expected a tf.data.Dataset"),
    ],
)  # fmt: skip
def test_wrong_folders_labels_and_sizes_raise(folder: Path, call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(folder)
