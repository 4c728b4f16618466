"""A lock between processes, for a file that several boards change.

The lock is a file of its own, which stays: if it were removed, two boards could hold it at once. The system takes the
lock back from a process that ends in any way, so it is never stale.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from types import ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not POSIX
    fcntl = None

_TRY_AGAIN_S = 0.01
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EBADF)


@contextlib.contextmanager
def locked(path: str, until: float) -> Iterator[None]:
    """Hold the lock in a file, which is made if need be; on a file system without locks, hold nothing.

    Args:
        path: the file of the lock.
        until: when to give up, by `time.monotonic`.

    Raises:
        TimeoutError: somebody else has held it until then.
        OSError: the file cannot be opened.
    """
    handle = _opened(path)
    try:
        _take(handle, path, until)
        yield
    finally:
        os.close(handle)


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except PermissionError:  # somebody else's file; that is enough, but on network file systems
        return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))


def _take(handle: int, path: str, until: float) -> None:
    while fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return
            if not isinstance(error, BlockingIOError):
                raise
        if time.monotonic() >= until:
            raise TimeoutError(errno.ETIMEDOUT, "another process holds the lock", path)
        time.sleep(_TRY_AGAIN_S)
