"""A file open for reading, at any place and within its size."""

from __future__ import annotations

import errno
import os
import stat
import weakref
from pathlib import Path

BLOCK_BYTES = 1 << 26


class OpenFile:
    """A file's bytes; it stays readable if it is deleted or replaced meanwhile.

    Args:
        path: the file.

    Raises:
        OSError: there is none, or it is a pipe or a device, which may have no end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # A pipe without a writer would be waited for.
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        self._descriptor = os.open(path, flags)
        self.close = weakref.finalize(self, os.close, self._descriptor)
        found = os.fstat(self._descriptor)
        if not stat.S_ISREG(found.st_mode):
            self.close()
            kind = IsADirectoryError if stat.S_ISDIR(found.st_mode) else OSError
            raise kind(
                errno.EISDIR if kind is IsADirectoryError else errno.EINVAL,
                "is not a regular file",
                str(path),
            )
        self.size = found.st_size

    def bytes(self, at: int, count: int) -> bytes:
        """So many bytes from a place on.

        Raises:
            EOFError: the file ends before.
        """
        if at + count > self.size:
            raise EOFError("it ends too early")
        buffer = bytearray(count)
        self.fill(memoryview(buffer), at)
        return bytes(buffer)

    def fill(self, buffer: memoryview, at: int) -> None:
        """Fill a buffer with the bytes from a place on; raises as `bytes` does."""
        while buffer:
            got = os.preadv(self._descriptor, [buffer[:BLOCK_BYTES]], at)
            if not got:
                raise EOFError("it ends too early")
            buffer, at = buffer[got:], at + got
