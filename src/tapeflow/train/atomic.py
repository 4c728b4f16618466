"""Files that are replaced whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from tapeflow.io.temporary import naming, sync, temporary_beside

_LARGE_BYTES = 1 << 24


@contextlib.contextmanager
def replacing(path: Path, follows_link: bool = True) -> Iterator[Path]:
    """A temporary path beside `path` to write to; on success it takes the place of `path`.

    What was there before stays until the new file is on disk. If writing fails nothing is left behind; what a
    killed process left behind is removed by the next one that writes there.

    Args:
        path: the file to replace.
        follows_link: whether a link there stays, and what it leads to is replaced; without it, the link itself is.

    Raises:
        OSError: there is something else than a file, or one that may not be written to.
    """
    place = path if path.is_symlink() and not follows_link else _place(path)
    temporary = temporary_beside(place)
    try:
        with naming(path):
            yield temporary
            sync(temporary)
        with _let_go_later(place):
            temporary.replace(place)
    finally:
        temporary.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # some systems cannot sync a folder, and need not
        sync(place.parent)


def _place(path: Path) -> Path:
    """Where a file is written; what is there must be one that a program could open to write."""
    place = Path(os.path.realpath(path)) if path.is_symlink() else path
    if place.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if place.exists() and not place.is_file():
        raise OSError(
            errno.EINVAL, "a device or pipe is not replaced by a file: choose another path", str(path)
        )
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, "the file there may not be written to", str(path))
    return place


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
