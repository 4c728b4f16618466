"""`embedding`: the projector's files, several steps and names, and what is read back."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.embeddings import read_embeddings, read_vectors

VECTORS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)


def vectors_of(writer: FileWriter, index: int) -> np.ndarray:
    found = read_embeddings(writer.logdir)[index]
    return read_vectors(Path(writer.logdir, found.vectors), found.shape)


def test_names_and_steps_gather(writer: FileWriter) -> None:
    with writer.as_default():
        for name, step in (("a", 0), ("b/c", 0), ("a", 10), ("a", 2), ("a", 10)):
            assert summary.embedding(name, VECTORS + step, step=step)
    writer.flush()
    found = read_embeddings(writer.logdir)
    assert [(e.name, e.step, e.shape) for e in found] == [
        ("a", 0, (6, 3)),
        ("a", 2, (6, 3)),
        ("a", 10, (6, 3)),
        ("b/c", 0, (6, 3)),
    ]
    np.testing.assert_array_equal(vectors_of(writer, 2), VECTORS + 10)


def test_names_become_folders_of_their_own(writer: FileWriter) -> None:
    names = ["a/b", "a%2fb", "../up", "größe x", "..", "a:b", "猫" * 300]
    with writer.as_default(step=0):
        for i, name in enumerate(names):
            summary.embedding(name, VECTORS + i)
    writer.flush()
    folder = Path(writer.logdir)
    assert sorted(p.name for p in folder.parent.iterdir()) == ["run"]
    assert len(list((folder / "projector").iterdir())) == len(names)
    found = {e.name: read_vectors(folder / e.vectors, e.shape) for e in read_embeddings(folder)}
    for i, name in enumerate(names):
        np.testing.assert_array_equal(found[name], VECTORS + i)


def test_labels_and_metadata(writer: FileWriter) -> None:
    with writer.as_default(step=0):
        summary.embedding("one", VECTORS, labels=["a", "b\tc", "", "größe", "e\nf", b"g"])
        summary.embedding("two", VECTORS, labels=tf.range(6), metadata={"odd": [True, False] * 3})
        summary.embedding("none", VECTORS)
    writer.flush()
    none, one, two = read_embeddings(writer.logdir)
    assert none.metadata == ""
    text = Path(writer.logdir, one.metadata).read_text("utf-8")
    assert text == "a\nb c\n \ngröße\ne f\ng\n"
    lines = Path(writer.logdir, two.metadata).read_text("utf-8").splitlines()
    assert lines[:3] == ["label\todd", "0\tTrue", "1\tFalse"]


def test_a_variable_is_taken_as_it_is_now(writer: FileWriter) -> None:
    weights = tf.Variable(VECTORS)
    with writer.as_default():
        summary.embedding("w", weights, step=0)
        weights.assign(weights * 2)
        summary.embedding("w", weights, step=1)
    writer.flush()
    np.testing.assert_array_equal(vectors_of(writer, 0), VECTORS)
    np.testing.assert_array_equal(vectors_of(writer, 1), VECTORS * 2)


def test_it_is_written_inside_a_function(tmp_path: Path) -> None:
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def show(x: Any) -> Any:
        summary.embedding("x", x + 1, step=step)
        return x

    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        for _ in range(2):
            show(tf.constant(VECTORS))
            step.assign_add(1)
    writer.close()
    assert [e.step for e in read_embeddings(tmp_path)] == [0, 1]


def test_a_configuration_that_is_none_is_left_alone(
    writer: FileWriter, caplog: pytest.LogCaptureFixture
) -> None:
    path = Path(writer.logdir, "projector_config.pbtxt")
    path.write_text("not } a { config")
    with caplog.at_level(logging.WARNING, "tapeflow.summary"), writer.as_default(step=0):
        summary.embedding("x", VECTORS)
        summary.scalar("y", 1.0)
        writer.flush()
    assert "expected a projector configuration" in caplog.text
    assert path.read_text() == "not } a { config"
    assert summary.read(writer.logdir)["y"].values.tolist() == [1.0]


def test_only_the_newest_step_has_what_wakes_tensorboard(writer: FileWriter) -> None:
    with writer.as_default():
        for step in range(3):
            summary.embedding("x", VECTORS, step=step)
    writer.flush()
    markers = list(Path(writer.logdir, "projector").rglob("*tfevents*"))
    assert [m.parent.name for m in markers] == ["step_2"]
    assert not list(Path(writer.logdir).rglob("*.tmp"))


def test_higher_dimensions_are_flattened(writer: FileWriter) -> None:
    with writer.as_default(step=0):
        summary.embedding("x", np.arange(12).reshape(2, 3, 2))
    writer.flush()
    np.testing.assert_array_equal(vectors_of(writer, 0), np.arange(12).reshape(2, 6))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"vectors": np.zeros(3)}, r"vectors of shape \[points, dimensions\], numbers; got shape \(3,\)"),
        ({"vectors": np.zeros((0, 3))}, r"got shape \(0, 3\)"),
        ({"vectors": [["a"]]}, r"numbers; got shape \(1, 1\) and dtype object"),
        ({"vectors": VECTORS, "labels": [1]}, r"label for each of the 6 points; got label of shape \(1,\)"),
        ({"vectors": VECTORS, "metadata": {"n": 3}}, r"n for each of the 6 points"),
        ({"vectors": VECTORS, "images": np.zeros((5, 2, 2))}, r"images for each of the 6 points"),
        ({"vectors": VECTORS, "images": np.zeros((6, 2, 2, 7))}, r"1, 2, 3 or 4 channels"),
    ],
    ids=["rank", "empty", "text", "labels", "metadata", "images", "channels"],
)
def test_wrong_arguments_raise(writer: FileWriter, arguments: dict[str, Any], text: str) -> None:
    with writer.as_default(), pytest.raises(ValueError, match=text):
        summary.embedding("x", step=0, **arguments)


def test_vectors_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "vectors.bytes"
    path.write_bytes(b"\xff" * 10)
    with pytest.raises(ValueError, match=r"expected vectors of shape \(2, 2\); got 10 bytes"):
        read_vectors(path, (2, 2))
