"""Files in storage elsewhere, for `tf.io.gfile`: the same as `os` does for those of this machine, on addresses.

Object stores have no folders: making one does nothing, and a folder is there while there is a file in it.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import urlsplit

from tapeflow.engine import errors
from tapeflow.summary.remote import (
    OBJECT_STORES,
    Storage,
    is_remote,
    open_storage,
    scheme_of,
    shown_address,
    translated,
)

_WHERE = "tf.io.gfile"


def open_file(address: str, mode: str) -> Any:
    """Open a file; what is written to an object store is there when it is closed."""
    is_text = "b" not in mode
    options = {"encoding": "utf-8", "newline": ""} if is_text else {}
    filesystem, path = _place(address)
    with _remote_errors(address):
        return filesystem.open(path, mode, **options)


def exists(address: str) -> bool:
    """Whether there is a file or folder."""
    filesystem, path = _place(address)
    with _remote_errors(address):
        return bool(filesystem.exists(path))


def isdir(address: str) -> bool:
    """Whether there is a folder."""
    filesystem, path = _place(address)
    with _remote_errors(address):
        return bool(filesystem.isdir(path))


def info(address: str) -> dict[str, Any]:
    """What is known of a file or folder."""
    filesystem, path = _place(address)
    with _remote_errors(address):
        return filesystem.info(path)


def glob(pattern: str) -> list[str]:
    """The addresses that a pattern matches, in order."""
    filesystem, path = _place(pattern)
    with _remote_errors(pattern):
        return sorted(_address(pattern, name) for name in filesystem.glob(path))


def listdir(address: str) -> list[str]:
    """The names in a folder."""
    filesystem, path = _place(address)
    with _remote_errors(address):
        names = [str(name).rstrip("/") for name in filesystem.ls(path, detail=False)]
    return [name.rpartition("/")[2] for name in names if name != path.rstrip("/")]


def makedirs(address: str) -> None:
    """Make a folder, and those it lies in."""
    filesystem, path = _place(address)
    if scheme_of(address) not in OBJECT_STORES:
        with _remote_errors(address):
            filesystem.makedirs(path, exist_ok=True)


def mkdir(address: str) -> None:
    """Make a folder in one that is there."""
    filesystem, path = _place(address)
    if scheme_of(address) not in OBJECT_STORES:
        with _remote_errors(address):
            filesystem.mkdir(path, create_parents=False)


def remove(address: str) -> None:
    """Delete a file."""
    filesystem, path = _place(address)
    with _remote_errors(address):
        if not filesystem.exists(path):  # object stores delete what is not there
            raise FileNotFoundError(f"there is no {shown_address(address)}")
        filesystem.rm_file(path)


def rmtree(address: str) -> None:
    """Delete a folder and what is in it."""
    filesystem, path = _place(address)
    with _remote_errors(address):
        filesystem.rm(path, recursive=True)


def copy(source: str, target: str) -> None:
    """Copy a file, from or to a place elsewhere."""
    with _opened(source, "rb") as file, _opened(target, "wb") as out:
        shutil.copyfileobj(file, out, 1 << 20)


def rename(source: str, target: str) -> None:
    """Move a file; between two places elsewhere, or to or from this machine, it is copied and deleted."""
    if is_remote(source) and is_remote(target) and _root(source) == _root(target):
        filesystem, path = _place(source)
        with _remote_errors(source):
            filesystem.mv(path, _place(target)[1])
        return
    copy(source, target)
    (remove if is_remote(source) else os.remove)(source)


def walk(
    address: str, topdown: bool = True, onerror: Callable[[OSError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders below an address, each with the folders and files in it."""
    filesystem, path = _place(address)

    def report(error: OSError) -> None:
        if onerror is not None:
            onerror(error)

    with _remote_errors(address):
        for folder, folders, files in filesystem.walk(path, topdown=topdown, on_error=report):
            if folders or files:
                yield _address(address, folder), sorted(folders), sorted(name for name in files if name)


def _opened(path: str, mode: str) -> AbstractContextManager[Any]:
    return open_file(path, mode) if is_remote(path) else open(path, mode)


def _place(address: str) -> tuple[Any, str]:
    """The file system of an address, and its path there."""
    filesystem = _storage(_root(address), os.getpid()).filesystem
    filesystem.invalidate_cache()
    return filesystem, str(filesystem._strip_protocol(address))


@functools.lru_cache(maxsize=16)
def _storage(root: str, process: int) -> Storage:
    """A connection; a child process makes its own.

    Raises:
        UnimplementedError: nothing that is installed can read it, which TensorFlow says of file systems it lacks.
    """
    del process
    try:
        return open_storage(root, _WHERE)
    except (ImportError, ValueError) as error:
        raise errors.UnimplementedError(None, None, str(error)) from error


def _root(address: str) -> str:
    return f"{scheme_of(address)}://{urlsplit(address).netloc}"


def _address(like: str, name: str) -> str:
    """The address of what a file system calls by a name."""
    name = str(name)
    if is_remote(name):
        return name
    return f"{_root(like)}{name}" if name.startswith("/") else f"{scheme_of(like)}://{name}"


def _remote_errors(address: str) -> AbstractContextManager[None]:
    return translated(shown_address(address))
