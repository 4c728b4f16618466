"""A stream of what is read from one file: open from the first element to the last, its place is the state."""

from __future__ import annotations

from typing import Any

from tapeflow.data.pipe import State
from tapeflow.data.steps.stepping import ElementStream
from tapeflow.data.structure import Flat
from tapeflow.io.tfrecord import UNPACKING_ERRORS, not_whole, open_to_read


class FileStream(ElementStream):
    """Elements of a file, which is opened when the first is asked for."""

    def __init__(self, path: str, compression: str, where: str) -> None:
        self._path, self._compression, self._where = path, compression, where
        self._file: Any = None
        self._at = 0
        self._is_over = False

    def open(self) -> Any:
        """The file, at its beginning."""
        return open_to_read(self._path, self._compression, self._where)

    def begin(self, file: Any, at: int) -> None:
        """The file has been opened; go to the place."""
        if at:
            file.seek(at)

    def read(self, file: Any) -> Flat | None:
        """The next element, or None at the end."""
        raise NotImplementedError

    def next_element(self) -> Flat | None:
        if self._is_over:
            return None
        if self._file is None:
            self._file = self.open()
            try:
                self.begin(self._file, self._at)
            except UNPACKING_ERRORS as error:
                raise not_whole(self._path, error) from error
        try:
            element = self.read(self._file)
        except UNPACKING_ERRORS as error:
            raise not_whole(self._path, error) from error
        if element is None:
            self._is_over = True
            self._file.close()
            self._file = None
        return element

    def state(self) -> State:
        return {"at": self._at if self._file is None else self._file.tell(), "is_over": self._is_over}

    def restore(self, state: State) -> None:
        self._at, self._is_over = state["at"], state["is_over"]
