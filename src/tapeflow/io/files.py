"""Whole files: `tf.io.read_file`, `write_file`, `matching_files`; and how the system's errors are said."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Iterator
from typing import Any

from tapeflow.engine import errors
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.strings.text import read_strings, string_tensor


@contextlib.contextmanager
def file_errors(path: str | os.PathLike[str], where: str) -> Iterator[None]:
    """Raise what the system says of a file as TensorFlow's errors."""
    try:
        yield
    except OSError as error:
        kinds: dict[type[OSError], Any] = {
            FileNotFoundError: errors.NotFoundError,
            FileExistsError: errors.AlreadyExistsError,
            PermissionError: errors.PermissionDeniedError,
            IsADirectoryError: errors.FailedPreconditionError,
            NotADirectoryError: errors.FailedPreconditionError,
        }
        kind = next((found for cls, found in kinds.items() if isinstance(error, cls)), errors.UnknownError)
        text = f"{where} expected a file that can be used: {path}; {error.strerror or error}."
        raise kind(None, None, text) from error


def path_of(value: Any, where: str, name: str = "filename") -> str:
    """A path from text, a `Path` or a string tensor."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, bytes):
        return os.fsdecode(value)
    array = read_strings(value, where, name)
    if array.size != 1:
        raise ValueError(f"{where} expected one path for {name}; got {name} of shape {list(array.shape)}.")
    return os.fsdecode(array.item())


def paths_of(value: Any, where: str, name: str) -> list[str]:
    """Paths from one or several texts, or a string tensor."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return [path_of(value, where, name)]
    if isinstance(value, (list, tuple)):
        return [p for v in value for p in paths_of(v, where, name)]
    return [os.fsdecode(v) for v in read_strings(value, where, name).reshape(-1)]


def matches_of(pattern: str) -> list[str]:
    """The files that a pattern names, in order; one without a folder is looked for in the current one."""
    has_magic = glob.has_magic(pattern)
    if has_magic and not os.path.dirname(pattern):
        pattern = os.path.join(".", pattern)
    return sorted(glob.glob(pattern, include_hidden=False))


def read_file(filename: str | os.PathLike[str], name: str | None = None) -> Tensor:
    """Read a file as a string."""
    where = "tf.io.read_file"
    path = path_of(filename, where)
    with file_errors(path, where), open(path, "rb") as file:
        return string_tensor([file.read()], ())


def write_file(filename: str | os.PathLike[str], contents: TensorLike, name: str | None = None) -> None:
    """Write a string to a file, whose folder is made if need be."""
    where = "tf.io.write_file"
    path, data = path_of(filename, where), read_strings(contents, where, "contents")
    if data.shape:
        raise ValueError(f"{where} expected one string; got contents of shape {list(data.shape)}.")
    with file_errors(path, where):
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data.item())


def matching_files(pattern: str | os.PathLike[str], name: str | None = None) -> Tensor:
    """The files that one or several patterns name, in order."""
    found = sorted(
        {p for one in paths_of(pattern, "tf.io.matching_files", "pattern") for p in matches_of(one)}
    )
    return string_tensor([os.fsencode(p) for p in found], (len(found),))
