"""Files that are replaced whole or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_ABANDONED_S = 24 * 3600.0
_LARGE_BYTES = 1 << 24
_STARTED = time.time()  # this process, or a little later


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; on success it takes the place of `path`.

    What was there before stays until the new file is on disk. If writing fails nothing is left behind; what a
    killed process left behind is removed by the next one that writes there.
    """
    temporary = temporary_beside(path)
    try:
        yield temporary
        _sync(temporary)
        with _let_go_later(path):
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # some systems cannot sync a folder, and need not
        _sync(path.parent)


@contextlib.contextmanager
def _let_go_later(path: Path) -> Iterator[None]:
    """Let a thread free what a large file, which is replaced meanwhile, takes of the disk: that takes a while."""
    before = None
    with contextlib.suppress(OSError):  # there is none, or it may not be read
        if (
            os.name == "posix" and path.stat().st_size >= _LARGE_BYTES
        ):  # elsewhere an open file cannot be replaced
            before = os.open(path, os.O_RDONLY)
    try:
        yield
    finally:
        if before is not None:
            threading.Thread(target=os.close, args=(before,), name="free", daemon=True).start()


def replace_folder(temporary: Path, path: Path) -> None:
    """Put a folder from `temporary_beside` where `path` is; what was there goes only then.

    The two change places at once where the system can do that; elsewhere there is a moment with neither, and the old
    folder can be found beside its place.
    """
    for file in (*temporary.rglob("*"), temporary):
        _sync(file)
    if not path.exists():
        temporary.rename(path)
    elif not _exchange(temporary, path):
        old = temporary.with_suffix(".old")
        path.rename(old)
        temporary.rename(path)
        temporary = old
    with contextlib.suppress(OSError):
        _sync(path.parent)
    if temporary.exists():
        shutil.rmtree(temporary, ignore_errors=True) if temporary.is_dir() else temporary.unlink()


def _exchange(one: Path, other: Path) -> bool:
    """Let two paths change places; whether the system can."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        return False
    return rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0


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
        _remove_leftovers(path)
        temporary.mkdir() if is_folder else temporary.touch(exist_ok=False)
    except OSError as error:
        if error.errno not in _FORBIDDEN:
            raise
        advice = "a file is written beside its place first: choose a folder that may be written to"
        raise OSError(error.errno, f"{error.strerror} ({advice})", str(path)) from None
    return temporary


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for `path` whose writers are no more; of other machines', those nobody writes to."""
    start = f".{path.name}."
    for name in os.listdir(path.parent):
        writer = name.removeprefix(start).split("-", 1)[0]
        if not (name.startswith(start) and name.endswith(".tmp") and writer.isdigit()):
            continue
        left = path.parent / name
        is_ours = name.endswith(f".{socket.gethostname()}.tmp")
        if is_left(left, int(writer)) if is_ours else _is_abandoned(left):
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


def is_alive(process: int) -> bool:
    """Whether a process of this machine is running."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's, or we cannot know
        return True
    return True
