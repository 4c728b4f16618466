"""`tf.io.gfile`: the file system, with TensorFlow's names and errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tapeflow.engine import errors
from tapeflow.io.files import matches_of, path_of, paths_of, told


class FileStatistics(NamedTuple):
    """The size of a file, when it changed, and whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


class GFile:
    """A file, opened when it is first used; "r", "w" and "a" are text, "rb", "wb" and "ab" bytes.

    >>> with tf.io.gfile.GFile("notes.txt", "w") as file:
    ...     file.write("one")
    >>> tf.io.gfile.GFile("notes.txt").read()
    'one'
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        if mode not in ("r", "w", "a", "r+", "w+", "a+", "rb", "wb", "ab", "r+b", "w+b", "a+b"):
            raise errors.InvalidArgumentError(
                None, None, f"GFile expected a mode such as 'r'; got mode={mode!r}."
            )
        self._path, self._mode = path_of(name, "tf.io.gfile.GFile", "name"), mode
        self._opened: Any = None

    @property
    def name(self) -> str:
        """The path."""
        return self._path

    @property
    def mode(self) -> str:
        """How it is opened."""
        return self._mode

    @property
    def _file(self) -> Any:
        if self._opened is None:
            is_text = "b" not in self._mode
            with told(self._path, "GFile"):
                self._opened = open(  # noqa: SIM115 (open as long as the GFile)
                    self._path,
                    self._mode,
                    encoding="utf-8" if is_text else None,
                    newline="" if is_text else None,
                )
        return self._opened

    def size(self) -> int:
        """The size of the file in bytes."""
        return stat(self._path).length

    def read(self, n: int = -1) -> Any:
        """The next `n` characters or bytes, or the rest."""
        return self._file.read(n)

    def write(self, file_content: Any) -> None:
        """Write text, or bytes."""
        self._file.write(file_content)

    def readline(self) -> Any:
        """The next line."""
        return self._file.readline()

    def readlines(self) -> list[Any]:
        """The lines that are left."""
        return self._file.readlines()

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a place."""
        self._file.seek(position if offset is None else offset, whence)

    def tell(self) -> int:
        """The position in the file."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Whether one can go to a place: always."""
        return True

    def flush(self) -> None:
        """Hand what was written to the system."""
        if self._opened is not None:
            self._opened.flush()

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        elif self._mode[0] == "w":
            self._file.close()  # opened for writing, never written to: it is empty
            self._opened = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __next__(self) -> Any:
        return next(self._file)


def exists(path: Any) -> bool:
    """Whether there is a file or folder."""
    return os.path.exists(path_of(path, "tf.io.gfile.exists", "path"))


def isdir(path: Any) -> bool:
    """Whether there is a folder."""
    return os.path.isdir(path_of(path, "tf.io.gfile.isdir", "path"))


def glob(pattern: Any) -> list[str]:
    """The files that one or several patterns name."""
    return [p for one in paths_of(pattern, "tf.io.gfile.glob", "pattern") for p in matches_of(one)]


def listdir(path: Any) -> list[str]:
    """The names in a folder."""
    place = path_of(path, "tf.io.gfile.listdir", "path")
    if not os.path.isdir(place):
        raise errors.NotFoundError(
            None, None, f"tf.io.gfile.listdir expected a folder; could not find {place}."
        )
    return os.listdir(place)


def makedirs(path: Any) -> None:
    """Create a folder and its parents, if they do not exist yet."""
    place = path_of(path, "tf.io.gfile.makedirs", "path")
    with told(place, "tf.io.gfile.makedirs"):
        os.makedirs(place, exist_ok=True)


def mkdir(path: Any) -> None:
    """Create a folder; its parent must exist."""
    place = path_of(path, "tf.io.gfile.mkdir", "path")
    if not os.path.isdir(place):
        with told(place, "tf.io.gfile.mkdir"):
            os.mkdir(place)


def remove(path: Any) -> None:
    """Delete a file."""
    place = path_of(path, "tf.io.gfile.remove", "path")
    with told(place, "tf.io.gfile.remove"):
        os.remove(place)


def rmtree(path: Any) -> None:
    """Delete a folder and what is in it."""
    place = path_of(path, "tf.io.gfile.rmtree", "path")
    with told(place, "tf.io.gfile.rmtree"):
        shutil.rmtree(place)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file."""
    _moved("tf.io.gfile.copy", shutil.copyfile, src, dst, overwrite)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Rename or move a file."""
    _moved("tf.io.gfile.rename", os.replace, src, dst, overwrite)


def _moved(where: str, function: Callable[[str, str], Any], src: Any, dst: Any, overwrite: bool) -> None:
    source, target = path_of(src, where, "src"), path_of(dst, where, "dst")
    if not overwrite and os.path.exists(target):
        raise errors.AlreadyExistsError(
            None,
            None,
            f"{where} expected no file at dst={target!r}: file already exists. Use overwrite=True.",
        )
    with told(source, where):
        function(source, target)


def stat(path: Any) -> FileStatistics:
    """The size of a file, when it changed, and whether it is a folder."""
    place = path_of(path, "tf.io.gfile.stat", "path")
    with told(place, "tf.io.gfile.stat"):
        found = os.stat(place)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(place))


def join(path: Any, *paths: Any) -> str:
    """Join the parts of a path."""
    return os.path.join(*[path_of(p, "tf.io.gfile.join", "path") for p in (path, *paths)])


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[OSError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders below `top`, each with the folders and files in it."""
    return os.walk(path_of(top, "tf.io.gfile.walk", "top"), topdown, onerror)


def get_registered_schemes() -> list[str]:
    """The supported URI schemes: none, because only local paths are supported."""
    return [""]
