"""Whole files, and the file system under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine import errors

gfile = tf.io.gfile


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "folder" / "ü.txt")
    tf.io.write_file(tf.constant(path), "text")
    assert tf.io.read_file(path).numpy() == b"text"
    assert gfile.exists(path)
    assert gfile.stat(path).length == 4
    assert [p.decode() for p in tf.io.matching_files(str(tmp_path / "*" / "*" / "*.txt")).numpy()] == [path]


def test_gfile(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    with gfile.GFile(path, "w") as file:
        file.write("a\nb\n")
    with gfile.GFile(path) as file:
        assert (file.read(1), file.readline(), file.readlines(), file.size()) == ("a", "\n", ["b\n"], 4)
    assert list(gfile.GFile(path)) == ["a\n", "b\n"]
    assert gfile.GFile(path, "rb").read() == b"a\nb\n"
    gfile.copy(path, str(tmp_path / "b.txt"))
    gfile.rename(str(tmp_path / "b.txt"), str(tmp_path / "c.txt"))
    gfile.makedirs(str(tmp_path / "d" / "e"))
    gfile.mkdir(str(tmp_path / "d"))
    assert sorted(gfile.listdir(str(tmp_path))) == ["a.txt", "c.txt", "d"]
    assert gfile.glob(str(tmp_path / "*.txt")) == [path, str(tmp_path / "c.txt")]
    assert [found[1:] for found in gfile.walk(str(tmp_path / "d"))] == [(["e"], []), ([], [])]
    gfile.rmtree(str(tmp_path / "d"))
    gfile.remove(path)
    assert not gfile.isdir(str(tmp_path / "d"))
    with gfile.GFile(path, "w"):
        pass
    assert gfile.exists(path)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda p: tf.io.read_file(f"{p}/none"), errors.NotFoundError, "No such file"),
        (lambda p: tf.io.read_file(["a", "b"]), ValueError, "one path for filename"),
        (lambda p: tf.io.write_file(f"{p}/x", ["a", "b"]), ValueError, "expected one string"),
        (lambda p: gfile.GFile(f"{p}/none").read(), errors.NotFoundError, "No such file"),
        (lambda p: gfile.GFile(f"{p}/x", "q"), errors.InvalidArgumentError, "expected a mode such as 'r'"),
        (lambda p: gfile.listdir(f"{p}/none"), errors.NotFoundError, "could not find"),
        (lambda p: gfile.copy(f"{p}/a", f"{p}/a"), errors.AlreadyExistsError, "file already exists"),
        (lambda p: gfile.mkdir(f"{p}/q/r"), errors.NotFoundError, "No such file"),
        (lambda p: gfile.remove(f"{p}/none"), errors.NotFoundError, "No such file"),
    ],
)
def test_wrong_files_raise(tmp_path: Path, call: Callable[[Path], Any], error: Any, text: str) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(error, match=text):
        call(tmp_path)
