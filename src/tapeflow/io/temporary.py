"""Temporary files and folders: beside the place of what they become, and removed if their writer is killed."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tapeflow.summary.processes import is_alive

_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_ABANDONED_S = 24 * 3600.0
# The random part, of which there is always the same length, keeps users' own names from having this form.
_NAME = re.compile(r"\.(?P<target>.+)\.(?P<writer>\d+)-[0-9a-f]{12}\.(?P<host>.+)\.tmp", re.DOTALL)
_STARTED = time.time()  # this process, or a little later


def temporary_beside(path: Path, is_folder: bool = False) -> Path:
    """A new, empty file or folder beside `path`, in a folder that is made if need be.

    If whoever asks for it is killed before it is removed, the next one who asks beside the same path removes it.

    Raises:
        OSError: no file can be made there; `path` is named, not the temporary one.
    """
    temporary = path.with_name(
        f".{path.name}.{os.getpid()}-{secrets.token_hex(6)}.{socket.gethostname()}.tmp"
    )
    try:
        os.makedirs(path.parent, exist_ok=True)
        remove_leftovers(path.parent, path.name.__eq__)
        temporary.mkdir() if is_folder else temporary.touch(exist_ok=False)
    except OSError as error:
        if error.errno not in _FORBIDDEN:
            raise
        advice = "a file is written beside its place first: choose a folder that may be written to"
        raise OSError(error.errno, f"{error.strerror} ({advice})", str(path)) from None
    return temporary


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Have errors of the system that name no file, as of a full disk, name this one."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def is_temporary(name: str, of: str) -> bool:
    """Whether `temporary_beside` gives names like this one beside a path whose name is `of`."""
    found = _NAME.fullmatch(name)
    return found is not None and found["target"] == of


def sync(path: Path) -> None:
    """Have a file, or the list of a folder's files, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path, is_target: Callable[[str], object]) -> None:
    """Remove temporary files in a folder, for files of certain names, whose writers are no more.

    Of those of other machines, the ones go that nobody has written to for a day.
    """
    try:
        names = os.listdir(folder)
    except OSError:  # there is none, or it may not be read
        return
    for name in names:
        found = _NAME.fullmatch(name)
        if found is None or not is_target(found["target"]):
            continue
        left = folder / name
        is_ours = found["host"] == socket.gethostname()
        if is_left(left, int(found["writer"])) if is_ours else _is_abandoned(left):
            with contextlib.suppress(OSError):  # somebody else's, perhaps
                shutil.rmtree(left) if left.is_dir() else left.unlink()


def is_left(file: Path, writer: int) -> bool:
    """Whether the process of this machine that wrote a file is no more.

    In a container every process that is started has the same number: then what is older than this one is left.
    """
    return _is_older(file, _STARTED) if writer == os.getpid() else not is_alive(writer)


def _is_abandoned(file: Path) -> bool:
    return _is_older(file, time.time() - _ABANDONED_S)


def _is_older(file: Path, moment: float) -> bool:
    try:
        return file.stat().st_mtime < moment
    except FileNotFoundError:
        return False
