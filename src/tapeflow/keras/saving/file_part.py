"""`FilePart` and `FileTail`: a stretch of a file as a file of its own, without copying it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, Any, TypeVar

T = TypeVar("T")


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
    """A file from `start` on, for HDF5 to write; its size is what has been written.

    The HDF5 library does not survive a write that fails: it may say something else, or crash later. So nothing fails
    here. The first failure is kept in `failure` for whoever closes the file, and what comes after it goes nowhere.

    Args:
        file: the file, which stays open as long as this is used.
        start: where the tail begins.

    Attributes:
        failure: why the file is not whole; None if it is.
    """

    def __init__(self, file: IO[bytes], start: int) -> None:
        super().__init__(file, start, 0)
        self.failure: OSError | KeyboardInterrupt | None = None

    @property
    def size(self) -> int:
        """How long it is."""
        return self._size

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._attempt(super().readinto, buffer) or 0

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self._attempt(self._write_all, view)
        self._at += len(view)
        self._size = max(self._size, self._at)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        self._size = self._at if size is None else size
        self._attempt(self._file.truncate, self._start + self._size)
        return self._size

    def _write_all(self, view: memoryview) -> None:
        self._file.seek(self._start + self._at)
        while view:  # the system takes no more than 2 GiB at once
            view = view[self._file.write(view) :]

    def _attempt(self, function: Callable[[Any], T], argument: Any) -> T | None:
        """What a function gives; None if it fails, or something has failed before."""
        if self.failure is None:
            try:
                return function(argument)
            except (OSError, KeyboardInterrupt) as error:
                self.failure = error
        return None
