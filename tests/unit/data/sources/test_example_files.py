"""Datasets of `tf.train.Example`s, and the debug mode. Expected values are TensorFlow's."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import debugging

E = tf.data.experimental
FEATURES = {"a": tf.io.FixedLenFeature([], tf.int64), "b": tf.io.FixedLenFeature([1], tf.float32)}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("examples") / "a.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for k in range(5):
            feature = {
                "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[k])),
                "b": tf.train.Feature(float_list=tf.train.FloatList(value=[k / 2])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return path


def test_batches_of_features(file: str) -> None:
    dataset = E.make_batched_features_dataset(file, 2, FEATURES, shuffle=False, num_epochs=1)
    found = list(dataset.as_numpy_iterator())
    assert [batch["a"].tolist() for batch in found] == [[0, 1], [2, 3], [4]]
    np.testing.assert_array_equal(found[1]["b"], [[1.0], [1.5]])


def test_labels_and_epochs(file: str) -> None:
    dataset = E.make_batched_features_dataset(file, 2, FEATURES, label_key="a", shuffle=False, num_epochs=2)
    found = list(dataset.as_numpy_iterator())
    assert [labels.tolist() for _, labels in found] == [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]]
    assert all(list(features) == ["b"] for features, _ in found)
    dropped = E.make_batched_features_dataset(file, 2, FEATURES, num_epochs=1, drop_final_batch=True)
    assert len(list(dropped)) == 2


def test_shuffled_without_end(file: str) -> None:
    dataset = E.make_batched_features_dataset(file, 5, FEATURES, shuffle_seed=1)
    first, second = (batch["a"].tolist() for batch in dataset.take(2).as_numpy_iterator())
    assert sorted(first) == list(range(5))
    assert first != sorted(first)
    assert len(second) == 5


def test_another_reader(file: str) -> None:
    seen = []

    def reader(name: Any, *args: Any) -> Any:
        seen.append(args)
        return tf.data.TFRecordDataset(name).take(1)

    dataset = E.make_batched_features_dataset(file, 2, FEATURES, reader, None, ["x"], 1)
    assert [b["a"].tolist() for b in dataset.as_numpy_iterator()] == [[0]]
    assert set(seen) == {("x",)}


def test_parse_example_dataset(file: str) -> None:
    dataset = tf.data.TFRecordDataset(file).batch(4).apply(E.parse_example_dataset(FEATURES))
    assert [b["a"].tolist() for b in dataset.as_numpy_iterator()] == [[0, 1, 2, 3], [4]]


def test_copies_to_a_device_are_left_to_programs() -> None:
    dataset = tf.data.Dataset.range(3).apply(E.copy_to_device("/gpu:0"))
    assert list(dataset.as_numpy_iterator()) == [0, 1, 2]


def test_wrong_arguments_raise(file: str) -> None:
    with pytest.raises(ValueError, match=r"The `label_key` provided \(zz\) must be one of"):
        E.make_batched_features_dataset(file, 2, FEATURES, label_key="zz")
    with pytest.raises(ValueError, match="`features` cannot be empty"):
        E.parse_example_dataset({})


def test_debug_mode_calls_python_for_every_element_on_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debugging, "is_on", False)
    threads: list[str] = []

    def seen(x: Any) -> Any:
        threads.append(threading.current_thread().name)
        return x * int(x)  # reads a value: it cannot be recorded

    def results() -> list[int]:
        threads.clear()
        dataset = tf.data.Dataset.range(8).map(seen, num_parallel_calls=4)
        return [int(n) for n in dataset.as_numpy_iterator()]

    plain = results()
    assert set(threads) != {threading.main_thread().name}
    E.enable_debug_mode()
    assert results() == plain == [n * n for n in range(8)]
    assert set(threads) == {threading.main_thread().name}
    assert len(threads) >= 8
    pipe: Any = tf.data.Dataset.range(8).map(lambda x: x + 1)._pipe
    assert pipe.recorded is None
