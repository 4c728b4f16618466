"""`tf.io.gfile`: files and folders, on disk and in remote storage such as `s3://`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tapeflow.engine import errors
from tapeflow.io import remote_files
from tapeflow.io.files import file_errors, matches_of, path_of, paths_of
from tapeflow.summary.remote import PACKAGES, is_remote, modified_of


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

    def __init__(self, name: str | os.PathLike[str], mode: str = "r") -> None:
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
            with file_errors(self._path, "GFile"):
                if is_remote(self._path):
                    self._opened = remote_files.open_file(self._path, self._mode)
                    return self._opened
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


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file or folder."""
    place = path_of(path, "tf.io.gfile.exists", "path")
    with file_errors(place, "tf.io.gfile.exists"):
        return remote_files.exists(place) if is_remote(place) else os.path.exists(place)


def isdir(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder."""
    place = path_of(path, "tf.io.gfile.isdir", "path")
    with file_errors(place, "tf.io.gfile.isdir"):
        return _isdir(place)


def glob(pattern: str | os.PathLike[str]) -> list[str]:
    """The files that one or several patterns name."""
    where = "tf.io.gfile.glob"
    found = []
    for one in paths_of(pattern, where, "pattern"):
        with file_errors(one, where):
            found += remote_files.glob(one) if is_remote(one) else matches_of(one)
    return found


def listdir(path: str | os.PathLike[str]) -> list[str]:
    """The names in a folder."""
    place = path_of(path, "tf.io.gfile.listdir", "path")
    if not isdir(place):
        raise errors.NotFoundError(
            None, None, f"tf.io.gfile.listdir expected a folder; could not find {place}."
        )
    with file_errors(place, "tf.io.gfile.listdir"):
        return remote_files.listdir(place) if is_remote(place) else os.listdir(place)


def makedirs(path: str | os.PathLike[str]) -> None:
    """Create a folder and its parents, if they do not exist yet."""
    place = path_of(path, "tf.io.gfile.makedirs", "path")
    with file_errors(place, "tf.io.gfile.makedirs"):
        if is_remote(place):
            remote_files.makedirs(place)
        else:
            os.makedirs(place, exist_ok=True)


def mkdir(path: str | os.PathLike[str]) -> None:
    """Create a folder; its parent must exist."""
    place = path_of(path, "tf.io.gfile.mkdir", "path")
    if not isdir(place):
        with file_errors(place, "tf.io.gfile.mkdir"):
            (remote_files.mkdir if is_remote(place) else os.mkdir)(place)


def remove(path: str | os.PathLike[str]) -> None:
    """Delete a file."""
    place = path_of(path, "tf.io.gfile.remove", "path")
    with file_errors(place, "tf.io.gfile.remove"):
        (remote_files.remove if is_remote(place) else os.remove)(place)


def rmtree(path: str | os.PathLike[str]) -> None:
    """Delete a folder and what is in it."""
    place = path_of(path, "tf.io.gfile.rmtree", "path")
    with file_errors(place, "tf.io.gfile.rmtree"):
        (remote_files.rmtree if is_remote(place) else shutil.rmtree)(place)


def copy(src: str | os.PathLike[str], dst: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Copy a file."""
    _moved("tf.io.gfile.copy", shutil.copyfile, remote_files.copy, src, dst, overwrite)


def rename(src: str | os.PathLike[str], dst: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Rename or move a file."""
    _moved("tf.io.gfile.rename", os.replace, remote_files.rename, src, dst, overwrite)


def _moved(
    where: str,
    function: Callable[[str, str], Any],
    elsewhere: Callable[[str, str], Any],
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    overwrite: bool,
) -> None:
    source, target = path_of(src, where, "src"), path_of(dst, where, "dst")
    if not overwrite and exists(target):
        raise errors.AlreadyExistsError(
            None,
            None,
            f"{where} expected no file at dst={target!r}: file already exists. Use overwrite=True.",
        )
    with file_errors(source, where):
        (elsewhere if is_remote(source) or is_remote(target) else function)(source, target)


def stat(path: str | os.PathLike[str]) -> FileStatistics:
    """The size of a file, when it changed, and whether it is a folder."""
    place = path_of(path, "tf.io.gfile.stat", "path")
    with file_errors(place, "tf.io.gfile.stat"):
        if is_remote(place):
            known = remote_files.info(place)
            modified = int(modified_of(known) * 1e9)
            return FileStatistics(int(known.get("size") or 0), modified, known["type"] == "directory")
        found = os.stat(place)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(place))


def join(path: str | os.PathLike[str], *paths: Any) -> str:
    """Join the parts of a path."""
    return os.path.join(*[path_of(p, "tf.io.gfile.join", "path") for p in (path, *paths)])


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[OSError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders below `top`, each with the folders and files in it."""
    place = path_of(top, "tf.io.gfile.walk", "top")
    return (remote_files.walk if is_remote(place) else os.walk)(place, topdown, onerror)


def get_registered_schemes() -> list[str]:
    """The supported URI schemes, and `''` for local paths. Packages for remote schemes need not be installed."""
    return ["", *PACKAGES]


def _isdir(place: str) -> bool:
    return remote_files.isdir(place) if is_remote(place) else os.path.isdir(place)
