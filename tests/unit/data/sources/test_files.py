"""Datasets of files: names, csv columns, saved and stored elements; and what is wrong with them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset
from tapeflow.engine import errors

experimental = tf.data.experimental


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"three\n"))
    (tmp_path / "a.csv").write_text("a,b,c\n1,2.5,x\n99999999999,,y\n")
    (tmp_path / "other.csv").write_text("p,q\n1,2\n")
    return tmp_path


def _all(dataset: Dataset) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def test_lines(folder: Path) -> None:
    assert _all(tf.data.TextLineDataset(folder / "a.txt").skip(1)) == [b"two"]
    assert _all(tf.data.TextLineDataset(str(folder / "b.txt.gz"), "GZIP")) == [b"three"]
    names = Dataset.list_files(str(folder / "*.txt"))
    assert _all(names.interleave(tf.data.TextLineDataset, cycle_length=2)) == [b"one", b"two"]
    assert isinstance(tf.data.TextLineDataset(folder / "a.txt"), Dataset)


def test_list_files(folder: Path) -> None:
    found = Dataset.list_files([str(folder / "*.csv"), str(folder / "a.*")], shuffle=False)
    assert [Path(p.decode()).name for p in _all(found)] == ["a.csv", "a.txt", "other.csv"]
    shuffled = Dataset.list_files(str(folder / "*"), seed=3)
    assert len(shuffled) == 4
    assert sorted(_all(shuffled)) == sorted(_all(shuffled))


def test_csv_columns_and_types(folder: Path) -> None:
    dataset = experimental.make_csv_dataset(
        str(folder / "a.csv"), 2, label_name="c", num_epochs=1, shuffle=False
    )
    features, label = next(iter(dataset))
    assert {k: v.dtype.name for k, v in features.items()} == {"a": "int64", "b": "float32"}
    assert features["b"].numpy().tolist() == [2.5, 0.0]
    assert label.numpy().tolist() == [b"x", b"y"]
    assert dataset.element_spec[1].shape == [None]
    chosen = experimental.make_csv_dataset(
        str(folder / "a.csv"), 1, select_columns=["c"], column_defaults=["string"], shuffle=False
    )
    assert [b["c"].numpy().tolist() for b in chosen.take(3)] == [[b"x"], [b"y"], [b"x"]]
    plain = experimental.CsvDataset(str(folder / "a.csv"), [tf.string, [0.0]], header=True, exclude_cols=[2])
    assert _all(plain)[1][1] == 0.0


def test_saved_datasets(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    dataset = Dataset.from_tensor_slices(
        {"x": np.arange(6, dtype=np.float16).reshape(3, 2), "t": ["a", "b", ""]}
    )
    for compression in (None, "GZIP"):
        dataset.save(path, compression)
        loaded = Dataset.load(path)
        assert loaded.element_spec == dataset.element_spec
        assert len(loaded) == 3
        assert [e["t"] for e in _all(loaded)] == [b"a", b"b", b""]
        assert _all(loaded)[2]["x"].tolist() == [4.0, 5.0]
    backwards = Dataset.load(path, reader_func=lambda shards: shards.flat_map(lambda d: d.take(1)))
    assert len(_all(backwards)) == 1


def test_a_cache_in_a_folder_is_written_once_and_by_a_full_pass(tmp_path: Path) -> None:
    calls: list[int] = []

    def read(x: tf.Tensor) -> tf.Tensor:
        calls.append(int(x))
        return x * 2

    path = str(tmp_path / "cache")
    dataset = Dataset.range(4).map(read).cache(path)
    spec = dataset.element_spec  # learnt from first elements
    calls.clear()
    iterator = iter(dataset)
    next(iterator)
    del iterator
    assert not (tmp_path / "cache").exists()
    assert list(tmp_path.iterdir()) == []
    calls.clear()
    assert _all(dataset) == _all(dataset) == [0, 2, 4, 6]
    assert calls == [0, 1, 2, 3]
    again = Dataset.range(4).map(read).cache(path)
    assert _all(again.skip(2)) == [4, 6]
    assert again.element_spec == spec


def test_snapshot_reads_what_is_there(tmp_path: Path) -> None:
    path = str(tmp_path / "snapshot")
    assert _all(Dataset.range(4).snapshot(path)) == [0, 1, 2, 3]
    assert _all(Dataset.range(9, 20).snapshot(path)) == [0, 1, 2, 3]
    reader = Dataset.range(4).snapshot(path, reader_func=lambda shards: shards.flat_map(lambda d: d.skip(2)))
    assert _all(reader) == [2, 3]


def test_a_dataset_of_records_is_written(tmp_path: Path) -> None:
    path = str(tmp_path / "a.tfrecord")
    experimental.TFRecordWriter(path).write(Dataset.from_tensor_slices(["a", "b"]))
    assert _all(tf.data.TFRecordDataset([path])) == [b"a", b"b"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda p: Dataset.list_files(f"{p}/*.none"),
            errors.InvalidArgumentError,
            "No files matched pattern",
        ),
        (lambda p: _all(tf.data.TextLineDataset(f"{p}/none")), errors.NotFoundError, "No such file"),
        (lambda p: tf.data.TextLineDataset(Dataset.range(2)), TypeError, "a dataset of names of files"),
        (lambda p: tf.data.TextLineDataset(f"{p}/a.txt", "BZ2"), ValueError, "not a valid compression_type"),
        (
            lambda p: _all(tf.data.FixedLengthRecordDataset(f"{p}/a.txt", 3)),
            errors.InvalidArgumentError,
            "not an exact multiple of the record length",
        ),
        (lambda p: Dataset.load(f"{p}/none"), errors.NotFoundError, "could not find one"),
        (lambda p: Dataset.range(3).window(2).save(f"{p}/w"), TypeError, "expected elements of tensors"),
        (
            lambda p: (Dataset.range(3).save(f"{p}/s"), _all(Dataset.range(3).enumerate().cache(f"{p}/s"))),
            errors.InvalidArgumentError,
            "a folder written by this pipeline",
        ),
        (lambda p: experimental.make_csv_dataset(f"{p}/*.none", 2), ValueError, "no file matches"),
        (lambda p: experimental.make_csv_dataset(f"{p}/*.csv", 2), ValueError, "different column names"),
        (
            lambda p: experimental.make_csv_dataset(f"{p}/a.csv", 2, label_name="z"),
            ValueError,
            "one of the columns",
        ),
        (
            lambda p: experimental.make_csv_dataset(f"{p}/a.csv", 2, header=False),
            ValueError,
            "column_names for files without a header",
        ),
        (
            lambda p: experimental.make_csv_dataset(f"{p}/a.csv", 2, column_names=["a", "a", "b"]),
            ValueError,
            "different column names",
        ),
        (
            lambda p: experimental.make_csv_dataset(f"{p}/a.csv", 2, select_columns=["z"]),
            ValueError,
            "select_columns among",
        ),
        (
            lambda p: experimental.make_csv_dataset(f"{p}/a.csv", 2, column_defaults=[0]),
            ValueError,
            "expected 3 column_defaults",
        ),
        (
            lambda p: experimental.CsvDataset(f"{p}/a.csv", [0], select_cols=[0], exclude_cols=[1]),
            ValueError,
            "one of select_cols and exclude_cols",
        ),
        (
            lambda p: _all(experimental.CsvDataset(f"{p}/a.csv", [tf.int64, tf.float32, ""], header=True)),
            errors.InvalidArgumentError,
            "required but missing in record",
        ),
    ],
)
def test_missing_and_malformed_files_raise(folder: Path, call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(folder)


def test_elements_that_cannot_be_saved_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"):
        Dataset.range(3).map(_failing).save(str(tmp_path / "saved"))
    assert list(tmp_path.iterdir()) == []


def _failing(x: tf.Tensor) -> tf.Tensor:
    if int(x) == 2:
        raise ValueError("no")
    return x
