"""`confusion_matrix`: which forms of labels and predictions it takes, and that batches add up exactly."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tapeflow as tf
from tapeflow import summary
from tapeflow.summary.event_files import encoding
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.confusions import class_names_of, confusion_counts

TRUE = np.array([0, 1, 2, 2, 1])
PREDICTED = np.array([0, 2, 2, 1, 1])
COUNTS = [[1, 0, 0], [0, 1, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        (TRUE, PREDICTED),
        (TRUE[:, None], PREDICTED[:, None]),
        (TRUE, np.eye(3)[PREDICTED]),
        (TRUE[:, None], np.eye(3)[PREDICTED]),
        (np.eye(3)[TRUE], np.eye(3)[PREDICTED] * 0.4),
        (TRUE.astype(np.float32), PREDICTED.astype(np.float64)),
        (TRUE.astype(np.uint8), np.eye(3, dtype=np.int32)[PREDICTED]),
        (TRUE.reshape(1, 5), PREDICTED.reshape(1, 5)),
        (TRUE.reshape(1, 5), np.eye(3)[PREDICTED].reshape(1, 5, 3)),
    ],
    ids=["ids", "columns", "scores", "column", "one_hot", "floats", "integer_scores", "maps", "map_scores"],
)
def test_forms(true: np.ndarray, predicted: np.ndarray) -> None:
    assert confusion_counts(true, predicted).tolist() == COUNTS


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        (np.array([0, 1, 1]), np.array([0.2, 0.7, 0.4])),
        (np.array([[0], [1], [1]]), np.array([[0.2], [0.7], [0.4]])),
        (np.array([False, True, True]), np.array([False, True, False])),
        (np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0])),
    ],
    ids=["chances", "columns", "booleans", "floats"],
)
def test_two_classes(true: np.ndarray, predicted: np.ndarray) -> None:
    assert confusion_counts(true, predicted).tolist() == [[1, 0], [1, 1]]


def test_names_may_be_the_labels() -> None:
    names = ["cat", "dog"]
    found = confusion_counts(np.array(["cat", "dog"], object), np.array([b"dog", b"dog"], object), names)
    assert found.tolist() == [[0, 1], [0, 1]]


def test_classes_that_do_not_occur_have_a_row() -> None:
    assert confusion_counts(np.array([0]), np.array([0]), ["a", "b"]).tolist() == [[1, 0], [0, 0]]
    assert confusion_counts(np.array([0]), np.array([[0.9, 0.1, 0.0]])).shape == (3, 3)
    assert confusion_counts(np.array([], int), np.array([], int)).shape == (0, 0)


def test_batches_add_up(writer: FileWriter) -> None:
    random = np.random.default_rng(0)
    true, predicted = random.integers(0, 4, 1000), random.integers(0, 4, 1000)
    with writer.as_default():
        for step in range(2):
            for batch in range(0, 1000, 100):
                rows = slice(batch, batch + 100)
                assert summary.confusion_matrix("c", true[rows], predicted[rows], list("wxyz"), step=step)
    run = summary.read(writer.logdir)
    series = run["c"]
    assert series.plugin == "confusion_matrix"
    assert class_names_of(series) == list("wxyz")
    for step in range(2):  # of several records of a step the last is whole
        assert series.values[series.steps == step][-1].tolist() == confusion_counts(true, predicted).tolist()
    pictures = run["c/image"]
    assert pictures.plugin == "images"
    assert pictures.steps.tolist() == series.steps.tolist()
    width, height, data = pictures.values[-1]
    assert Image.open(io.BytesIO(data)).size == (int(width), int(height))


def test_without_names_a_matrix_grows(writer: FileWriter) -> None:
    with writer.as_default(step=1):
        summary.confusion_matrix("c", [0], [0])
        summary.confusion_matrix("c", [2], [1])
    series = summary.read(writer.logdir)["c"]
    assert series.values[-1].tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert class_names_of(series) == ["0", "1", "2"]


def test_it_is_written_inside_a_function(tmp_path: Path) -> None:
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def evaluate(true: Any, scores: Any) -> Any:
        summary.confusion_matrix("c", true, scores, step=step)
        return tf.reduce_sum(scores)

    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        for _ in range(2):
            for _ in range(3):
                evaluate(tf.constant(TRUE), tf.constant(np.eye(3)[PREDICTED]))
            step.assign_add(1)
    writer.close()
    series = summary.read(tmp_path)["c"]
    assert [int(value.sum()) for value in series.values[series.steps == 1]][-1] == 15
    assert series.values[-1].tolist() == (3 * np.array(COUNTS)).tolist()


def test_it_is_written_by_the_steps_of_fit(tmp_path: Path) -> None:
    class Model(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            summary.confusion_matrix("c", data[1], self(data[0]), step=0)
            return super().train_step(data)

    random = np.random.default_rng(0)
    x, y = random.normal(size=(60, 4)).astype(np.float32), random.integers(0, 3, 60)
    model = Model([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
    model.compile(
        "sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
    )
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        history = model.fit(x, y, batch_size=8, verbose=0).history
    writer.close()
    counts = summary.read(tmp_path)["c"].values[-1]
    assert counts.sum(axis=1).tolist() == np.bincount(y).tolist()
    assert np.trace(counts) / 60 == pytest.approx(history["accuracy"][0])


def test_record_if_with_a_tensor(tmp_path: Path) -> None:
    @tf.function
    def evaluate(true: Any, is_wanted: Any) -> Any:
        with summary.record_if(is_wanted):
            summary.confusion_matrix("c", true, true, step=0)
        return true

    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        for wanted in (True, False, True):
            evaluate(tf.constant([0, 1]), tf.constant(wanted))
    writer.close()
    assert summary.read(tmp_path)["c"].values[-1].sum() == 4


@pytest.mark.parametrize(
    ("true", "predicted", "names", "text"),
    [
        ([0, 1], [0], None, r"y_true of shape \(2,\) and y_pred of shape \(1,\)"),
        ([0, 2], [0, 1], ["a", "b"], r"a name for each class; got 2 class_names and class 2"),
        ([0, -1], [0, 1], None, r"class numbers from 0 in y_true; got -1"),
        ([0, 10**9], [0, 1], None, r"at most 4096 classes; got class 1000000000"),
        (
            [0, 1],
            [0.5, 1.5],
            None,
            r"y_pred to hold class numbers or probabilities; got floats from 0.5 to 1.5",
        ),
        (
            [0, 1],
            [np.nan, 0.5],
            None,
            r"y_pred to hold class numbers or probabilities; got floats from nan to nan",
        ),
        (["cat"], [0], ["dog"], r"names of class_names; got 'cat'"),
    ],
    ids=["lengths", "name", "negative", "many", "float", "nan", "text"],
)
def test_wrong_arguments_raise(writer: FileWriter, true: Any, predicted: Any, names: Any, text: str) -> None:
    with writer.as_default(), pytest.raises(ValueError, match=text):
        summary.confusion_matrix("c", true, predicted, names, step=0)


def test_metadata_that_is_none_gives_numbers(writer: FileWriter) -> None:
    with writer.as_default():
        summary.write("c", np.eye(2), step=0, metadata=encoding.metadata("confusion_matrix", b"\xff"))
    assert class_names_of(summary.read(writer.logdir)["c"]) == ["0", "1"]
