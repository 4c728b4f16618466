"""Deleted runs: their files are moved to a folder in the log folder, from which they can be taken back.

A run's own event files and profiles move; everything else in its folder (checkpoints, configurations) stays. In the
trash (`.tapeflow-trash` in the log folder) files are numbers, so that no dashboard takes them for runs, and
`files.json` has the names they came from. That list lies in a log folder like everything else there, so it is not
trusted: files come from the trash and go to places below the log folder, and no link is followed on the way.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from tapeflow.board.api.runs.families import Family
from tapeflow.board.api.runs.notes import NOTES
from tapeflow.board.api.runs.schema import TrashedRun
from tapeflow.board.logdirs import Logdir, shown
from tapeflow.board.runs import Run
from tapeflow.board.schema import Note

FOLDER = ".tapeflow-trash"
_LIST = "files.json"
_MOST_LIST = 16 << 20
_NAME = re.compile(r"(\d+)-(\d{10})-([0-9a-f]{8})")  # log folder, time, something of its own
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class NotMoved(Exception):
    """A run that cannot be deleted or taken back; `note` says why."""

    def __init__(self, note: Note) -> None:
        super().__init__(note["text"])
        self.note = note


class Trash:
    """The trash of some log folders."""

    def __init__(self, logdirs: Sequence[Logdir]) -> None:
        self._roots = [_root_of(logdir) for logdir in logdirs]
        self._copies = {number for number, logdir in enumerate(logdirs) if logdir.address}

    def listed(self) -> list[TrashedRun]:
        """What is in it, the latest first."""
        found = []
        for number, root in enumerate(self._roots):
            with contextlib.suppress(OSError), _opened(root, FOLDER) as folder:
                for name in os.listdir(folder):
                    match = _NAME.fullmatch(name)
                    if match and int(match[1]) == number:
                        with contextlib.suppress(OSError, NotMoved):
                            found.append(_described(root, name))
        return sorted(found, key=lambda one: (-one["time"], one["trash"]))

    def discard(self, family: Family) -> None:
        """Move the files of a run there.

        Raises:
            NotMoved: it cannot be; nothing has been moved then.
        """
        if any(run.is_live for run in family.runs):
            raise NotMoved(NOTES("live"))
        number = family.main.found.logdir
        if number in self._copies:
            raise NotMoved(NOTES("remote"))
        root = self._roots[number]
        paths = [path for run in family.runs for path in _files_of(run, root)]
        if not paths:
            raise NotMoved(NOTES("nothing"))
        name = f"{number}-{int(time.time()):010d}-{secrets.token_hex(4)}"
        try:
            _discard(root, name, family.name, paths)
        except OSError as error:
            raise NotMoved(_failure(error)) from None

    def restore(self, name: str) -> None:
        """Move files back to where they were.

        Raises:
            NotMoved: they cannot be; those that were moved already are back in the trash.
        """
        root = self._root(name)
        try:
            paths = _listed_paths(root, name)
            _restore(root, name, paths)
        except OSError as error:
            raise NotMoved(_failure(error)) from None

    def erase(self, name: str) -> None:
        """Delete for good what is in the trash under this name.

        Raises:
            NotMoved: there is no such thing, or it cannot be deleted.
        """
        root = self._root(name)
        try:
            with _opened(root, FOLDER) as folder:
                shutil.rmtree(name, dir_fd=folder)
                remaining = os.listdir(folder)
            if not remaining:
                os.rmdir(os.path.join(root, FOLDER))
        except OSError as error:
            raise NotMoved(_failure(error)) from None

    def _root(self, name: str) -> str:
        found = _NAME.fullmatch(name)
        if found is None or int(found[1]) >= len(self._roots):
            raise NotMoved(NOTES("no_run"))
        return self._roots[int(found[1])]


def _root_of(logdir: Logdir) -> str:
    root = os.path.realpath(logdir.path)
    return os.path.dirname(root) if os.path.isfile(root) else root


def _failure(error: OSError) -> Note:
    return NOTES("failed", file=shown(os.path.basename(error.filename or "")), error=error.strerror or "")


def _files_of(run: Run, root: str) -> list[str]:
    """The files of a run, as paths below the log folder; a run that is reached through a link is not touched."""
    found = run.found
    paths = [*found.files, *(path for files in found.profiles.values() for path in files)]
    home = root if os.path.isfile(found.folder) else os.path.realpath(found.folder)
    above = os.path.join(home, "")
    if home != os.path.realpath(root) and not above.startswith(os.path.join(root, "")):
        raise NotMoved(NOTES("linked"))
    for path in paths:
        if not path.startswith(above) or os.path.realpath(path) != path:
            raise NotMoved(NOTES("linked"))
    return [os.path.relpath(path, root) for path in paths]


def _discard(root: str, name: str, run: str, paths: Sequence[str]) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(os.path.join(root, FOLDER), 0o700)
    with _opened(root, FOLDER) as folder:
        os.mkdir(name, 0o700, dir_fd=folder)
        with _opened(root, FOLDER, name) as place:
            _write_list(
                place, {"run": run, "time": time.time(), "files": [os.fsencode(p).hex() for p in paths]}
            )
            moved: list[tuple[int, str]] = []
            try:
                for number, path in enumerate(paths):
                    with _opened(root, *_folders(path)) as source:
                        os.rename(os.path.basename(path), str(number), src_dir_fd=source, dst_dir_fd=place)
                    moved.append((number, path))
            except OSError:
                for number, path in reversed(moved):
                    with _opened(root, *_folders(path)) as source:
                        os.rename(str(number), os.path.basename(path), src_dir_fd=place, dst_dir_fd=source)
                shutil.rmtree(name, dir_fd=folder)
                raise
    _remove_empty(root, paths)


def _restore(root: str, name: str, paths: Sequence[str]) -> None:
    with _opened(root, FOLDER, name) as place:
        for path in paths:
            if os.path.lexists(os.path.join(root, path)):
                raise NotMoved(NOTES("in_the_way", file=shown(path)))
        moved: list[tuple[int, str]] = []
        try:
            for number, path in enumerate(paths):
                with _opened(root, *_folders(path), makes=True) as target:
                    os.rename(str(number), os.path.basename(path), src_dir_fd=place, dst_dir_fd=target)
                moved.append((number, path))
        except OSError:
            for number, path in reversed(moved):
                with _opened(root, *_folders(path)) as target:
                    os.rename(os.path.basename(path), str(number), src_dir_fd=target, dst_dir_fd=place)
            raise
    with _opened(root, FOLDER) as folder:
        shutil.rmtree(name, dir_fd=folder)


def _remove_empty(root: str, paths: Sequence[str]) -> None:
    """Remove folders that the files leave empty, up to the log folder; others stay."""
    for folder in sorted({os.path.dirname(path) for path in paths}, key=len, reverse=True):
        while folder:
            try:
                os.rmdir(os.path.join(root, folder))
            except OSError:
                break
            folder = os.path.dirname(folder)


def _folders(path: str) -> list[str]:
    return path.split(os.sep)[:-1]


@contextlib.contextmanager
def _opened(root: str, *folders: str, makes: bool = False) -> Iterator[int]:
    """A folder below the log folder, step by step and never through a link."""
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            if makes:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=at)
            inner = os.open(folder, _OPEN_FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        yield at
    finally:
        os.close(at)


def _write_list(folder: int, content: dict[str, Any]) -> None:
    file = os.open(_LIST, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    with open(file, "wb") as opened:
        opened.write(orjson.dumps(content))


def _read_list(root: str, name: str) -> dict[str, Any]:
    with _opened(root, FOLDER, name) as folder:
        file = os.open(_LIST, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with open(file, "rb") as opened:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise NotMoved(NOTES("damaged", error="not a file"))
            data = opened.read(_MOST_LIST + 1)
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotMoved(NOTES("damaged", error=str(error))) from None
    files = found.get("files") if isinstance(found, dict) else None
    if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
        raise NotMoved(NOTES("damaged", error="no list"))
    return found


def _listed_paths(root: str, name: str) -> list[str]:
    """Where the files of a run in the trash came from."""
    paths = []
    for text in _read_list(root, name)["files"]:
        try:
            path = os.fsdecode(bytes.fromhex(text))
        except ValueError as error:
            raise NotMoved(NOTES("damaged", error=str(error))) from None
        parts = path.split(os.sep)
        if not path or "\0" in path or any(part in ("", ".", "..") for part in parts) or parts[0] == FOLDER:
            raise NotMoved(NOTES("damaged", error=shown(path)))
        paths.append(path)
    return paths


def _described(root: str, name: str) -> TrashedRun:
    found = _read_list(root, name)
    with _opened(root, FOLDER, name) as folder:
        sizes = [
            os.stat(str(number), dir_fd=folder, follow_symlinks=False).st_size
            for number in range(len(found["files"]))
        ]
    run, at = found.get("run"), found.get("time")
    return {
        "trash": name,
        "name": run if isinstance(run, str) else "",
        "time": float(at) if isinstance(at, (int, float)) else 0.0,
        "files": len(sizes),
        "nbytes": sum(sizes),
    }
