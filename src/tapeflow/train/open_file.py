"""A file open for reading, at any place and within its size."""

from __future__ import annotations

import os
import weakref
from pathlib import Path

BLOCK_BYTES = 1 << 26


class OpenFile:
    """A file's bytes; it stays readable if it is deleted or replaced meanwhile.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self.close = weakref.finalize(self, os.close, self._descriptor)
        self.size = os.fstat(self._descriptor).st_size

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
