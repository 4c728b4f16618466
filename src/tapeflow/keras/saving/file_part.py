"""`FilePart` and `FileTail`: a stretch of a file as a file of its own, without copying it."""

from __future__ import annotations

import io
from typing import IO, Any


class FilePart(io.RawIOBase):
    """Reads `size` bytes of a file from `start` on.

    Args:
        file: the file, which stays open as long as this is used.
        start: where the part begins.
        size: how long it is.
    """

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        super().__init__()
        self._file, self._start, self._size = file, start, size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")[: max(0, self._size - self._at)]
        self._file.seek(self._start + self._at)
        count = self._file.readinto(view)  # pyright: ignore[reportAttributeAccessIssue]
        self._at += count
        return count


class FileTail(FilePart):
    """A file from `start` on, to be written; its size is what has been.

    Args:
        file: the file, which stays open as long as this is used.
        start: where the tail begins.
    """

    def __init__(self, file: IO[bytes], start: int) -> None:
        super().__init__(file, start, 0)

    @property
    def size(self) -> int:
        """How long it is."""
        return self._size

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self._file.seek(self._start + self._at)
        written = 0
        while written < len(view):  # the system takes no more than 2 GiB at once
            written += self._file.write(view[written:])
        self._at += written
        self._size = max(self._size, self._at)
        return written

    def truncate(self, size: int | None = None) -> int:
        self._size = self._at if size is None else size
        return self._file.truncate(self._start + self._size) - self._start
