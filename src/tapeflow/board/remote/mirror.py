"""A copy of a log folder elsewhere that is brought up to date, reading new bytes alone.

A file that has grown is read from a little before where the copy ends: if the copy ends with the same bytes, the rest
is appended, else the file has been written anew and is copied from its beginning. What is gone there goes here.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import orjson

from tapeflow.board.remote.listing import Listing, RemoteFile, listed
from tapeflow.summary.remote import Storage, open_storage, translated

_WHERE = "tapeflow board"
_TAIL = 64
_PIECE = 8 << 20  # bytes of a file read at once
_MOST_PIECES = 64  # read at once, where the storage can do so
_UNUSABLE = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
_State = dict[str, tuple[int, str]]  # size and version of what has been copied, by place


@dataclass
class _Task:
    """A file that is being copied from `start` on; it has been copied up to `have`."""

    file: RemoteFile
    path: Path
    have: int = 0
    start: int = 0

    @property
    def end(self) -> int:
        return min(self.start + _PIECE, self.file.size)


class Mirror:
    """A copy of a log folder elsewhere.

    Args:
        address: the address of the log folder, or of an event file.
        folder: an empty folder, or one that an earlier mirror of this address left.

    Attributes:
        files: the folder of the copied files.
        left_out: how many files are not copied because their names are no paths, or in the way of one another.
    """

    def __init__(self, address: str, folder: str) -> None:
        self.address = address
        self.files = Path(folder, "files")
        self.left_out = 0
        self._state_path = Path(folder, "state.json")
        self._state = self._read_state()
        self._unusable: _State = {}
        self._places: set[str] | None = None  # of the files that are here
        self._storage: Storage | None = None

    def sync(self) -> None:
        """Copy what is new.

        Raises:
            OSError: the storage cannot be read, or the copy not written. What was copied stays.
            ImportError: a package is missing.
        """
        try:
            if self._storage is None:
                self._storage = open_storage(self.address, _WHERE)
            found = listed(self._storage)
            self._forget_gone(found)
            self._copy(self._storage, found)
        except OSError:
            self._storage = None  # the connection may be what is broken
            raise

    def _copy(self, storage: Storage, found: Listing) -> None:
        waiting = [task for file in found.files.values() if (task := self._task(file)) is not None]
        waiting.sort(key=lambda task: task.file.modified)  # the newest, at the end, are taken first
        is_changed = bool(waiting)
        try:
            while waiting:
                batch, waiting = waiting[-_MOST_PIECES:], waiting[:-_MOST_PIECES]
                waiting += [task for task in self._copy_pieces(storage, batch) if task.have < task.file.size]
        finally:
            self.left_out = found.left_out + len(self._unusable.keys() & found.files.keys())
            if is_changed:
                self._write_state()

    def _task(self, file: RemoteFile) -> _Task | None:
        """What is to be done for a file, if anything."""
        place = "/".join(file.parts)
        path = self.files.joinpath(*file.parts)
        known, now = self._state.get(place), (file.size, file.version)
        if now in (known, self._unusable.get(place)):
            return None
        try:
            have = path.stat().st_size if path.is_file() else 0
        except OSError:
            have = 0  # said when it is written
        if not file.size:
            path.unlink(missing_ok=True)
            self._state[place] = now
            return None
        is_other = have > file.size or (have == file.size and known is not None and known[0] == have)
        have = 0 if is_other else have
        return _Task(file, path, have, max(have - _TAIL, 0))

    def _copy_pieces(self, storage: Storage, batch: Sequence[_Task]) -> list[_Task]:
        """Copy the next piece of some files; gives those that go on."""
        names = [task.file.name for task in batch]
        starts, ends = [task.start for task in batch], [task.end for task in batch]
        with translated(storage.shown):
            pieces = storage.filesystem.cat_ranges(names, starts, ends, on_error="return")
        goes_on, failure = [], None
        for task, piece in zip(batch, pieces, strict=True):
            if not isinstance(piece, bytes):
                if not isinstance(piece, FileNotFoundError):  # gone since it was listed
                    failure = failure or piece
            elif self._take(task, piece):
                goes_on.append(task)
        if failure is not None:
            with translated(storage.shown):
                raise failure
        return goes_on

    def _take(self, task: _Task, piece: bytes) -> bool:
        """Append a piece to the copy; whether the file goes on."""
        if len(piece) > task.end - task.start:  # a web server that knows no ranges
            piece = piece[task.start : task.end]
        if len(piece) < task.end - task.start:
            return False  # it has shrunk since it was listed
        try:
            overlap = task.have - task.start
            if overlap and piece[:overlap] != _read(task.path, task.start, overlap):
                task.have = task.start = 0
                return True
            _append(task.path, piece[overlap:], task.have)
        except (IsADirectoryError, NotADirectoryError, FileExistsError):
            return self._leave_out(task)  # object stores may have both `a` and `a/b`
        except OSError as error:
            if error.errno not in _UNUSABLE:
                raise
            return self._leave_out(task)
        task.have = task.start = task.end
        place = "/".join(task.file.parts)
        self._known_places().add(place)
        if task.have == task.file.size:
            self._state[place] = (task.file.size, task.file.version)
            if task.file.modified:  # or a run of last year would seem to be written just now
                os.utime(task.path, (task.file.modified, task.file.modified))
        return True

    def _leave_out(self, task: _Task) -> bool:
        self._unusable["/".join(task.file.parts)] = (task.file.size, task.file.version)
        return False

    def _forget_gone(self, found: Listing) -> None:
        gone = (self._known_places() | self._state.keys()) - found.files.keys()
        for place in gone:
            self.files.joinpath(place).unlink(missing_ok=True)
            self._known_places().discard(place)
            self._state.pop(place, None)
            with contextlib.suppress(OSError):  # not empty
                for folder in PurePath(place).parents[:-1]:
                    (self.files / folder).rmdir()
        if gone:
            self._write_state()

    def _known_places(self) -> set[str]:
        if self._places is None:
            here = (path for path in self.files.rglob("*") if path.is_file())
            self._places = {path.relative_to(self.files).as_posix() for path in here}
            self._state = {place: known for place, known in self._state.items() if place in self._places}
        return self._places

    def _read_state(self) -> _State:
        try:
            found = orjson.loads(self._state_path.read_bytes())
            return {str(place): (int(size), str(version)) for place, (size, version) in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}  # files are then compared by their ends

    def _write_state(self) -> None:
        self._state_path.parent.mkdir(parents=True, exist_ok=True)
        part = self._state_path.with_suffix(".part")
        part.write_bytes(orjson.dumps(self._state))
        os.replace(part, self._state_path)


def _read(path: Path, start: int, count: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(count)


def _append(path: Path, data: bytes, have: int) -> None:
    """Put data behind the first `have` bytes of a file; with none, into a new file in place of it."""
    if not have:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
    with path.open("r+b" if have else "xb") as file:
        file.seek(have)
        file.write(data)
