"""`ReplacedFolder`: a folder that is replaced whole or not at all, and only if nobody else's files are in it."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from tapeflow.io.temporary import is_temporary, sync, temporary_beside

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_MAX_MANIFEST_BYTES = 1 << 26
_MOST_NAMED = 5


class ReplacedFolder:
    """A folder to write: its files go to a temporary one, which takes its place when it is whole.

    Until then what was there before stays. A folder that is not empty is replaced only if its manifest says that we
    wrote it and there is nothing else in it; whoever keeps a file of theirs there gets an error instead.

    Args:
        path: the folder.
        manifest: the name of the file in it that tells what it is; without this file a folder is not whole.
        written: the files that we wrote in a folder, relative to it, from its manifest; none if that is not ours.
        where: who writes, for errors.

    Attributes:
        path: the folder, as it was given.

    Raises:
        FileExistsError: there is a file, or a folder with other things in it.
        ValueError: the path is empty.
    """

    def __init__(
        self, path: str, manifest: str, written: Callable[[Path], Collection[str]], where: str
    ) -> None:
        if not path:
            raise ValueError(f"{where} expected the path of a folder; got path=''.")
        self.path, self._manifest, self._written, self._where = path, manifest, written, where
        self._place = Path(os.path.realpath(path))  # what links lead to: they stay
        self._temporary: Path | None = None
        self._check(self._place)

    def open(self) -> Path:
        """A new folder to write the files to."""
        # In an empty folder, not beside it: it may be the current one or a mount point, or all that may be written to.
        is_there = self._place.is_dir() and not self._names(self._place)
        place = self._place / self._manifest if is_there else self._place
        self._temporary = temporary_beside(place, is_folder=True)
        return self._temporary

    def commit(self) -> None:
        """Put the folder in its place."""
        temporary = self._temporary
        if temporary is None:
            raise RuntimeError("ReplacedFolder.commit expected a call of open before it.")
        for file in (*temporary.rglob("*"), temporary):
            sync(file)
        self._check(self._place)
        if not self._place.exists():
            temporary.rename(self._place)
        elif not self._names(self._place):
            self._move_in(temporary)
        else:
            self._swap(temporary)
        self._temporary = None
        with contextlib.suppress(OSError):  # some systems cannot sync a folder, and need not
            sync(self._place)
            sync(self._place.parent)

    def discard(self) -> None:
        """Leave nothing behind of what was written and not committed."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _names(self, folder: Path, ours: Collection[str] = ()) -> list[str]:
        """What is in a folder but for what is being written there.

        Folders that we wrote files into are looked into, and give those; others, which may hold any number of files,
        just their names.
        """
        found: list[str] = []
        parents = {name.partition("/")[0] for name in ours if "/" in name}
        for name in os.listdir(folder):
            path = folder / name
            if is_temporary(name, self._manifest):
                continue
            if name not in parents or not path.is_dir() or path.is_symlink():
                found.append(name)
                continue
            inner = [str(p.relative_to(folder)) for p in path.rglob("*") if p.is_symlink() or not p.is_dir()]
            found += inner or [name]
        return sorted(found)

    def _check(self, folder: Path) -> list[str]:
        """What is in a folder, all of it ours; a place with anything else is refused."""
        if not os.path.lexists(folder):
            return []
        if not folder.is_dir():
            raise FileExistsError(
                f"{self._where} expected a folder; got path={self.path!r}, which is a file. Choose another path."
            )
        own = {name for name in self._written(folder) if _is_own(folder, name)}
        names = self._names(folder, own)
        if not names:
            return []
        others = [name for name in names if name not in own]
        if others:
            more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
            raise FileExistsError(
                f"{self._where} expected a new or empty folder, or one that it wrote and that contains "
                "nothing else; got "
                f"path={self.path!r}, which holds {', '.join(map(repr, others[:_MOST_NAMED]))}{more}. Nothing was "
                "changed: choose another folder, or move these away."
            )
        if _is_current(folder):
            raise FileExistsError(
                f"{self._where} expected a folder other than the current one, which cannot be replaced while it is in "
                f"use; got path={self.path!r}. Change to another folder first, or choose another path."
            )
        return names

    def _move_in(self, temporary: Path) -> None:
        """Fill an empty folder; the manifest, with which it is whole, comes last."""
        for file in sorted(temporary.iterdir(), key=lambda f: f.name == self._manifest):
            file.rename(self._place / file.name)
        temporary.rmdir()

    def _swap(self, temporary: Path) -> None:
        """Let old and new change places, and delete the old one if it is still what it was."""
        if temporary.parent == self._place:  # which was empty, and has been filled meanwhile
            beside = temporary_beside(self._place, is_folder=True)
            temporary = self._temporary = temporary.rename(beside)
        try:
            _exchange(temporary, self._place)
        except OSError as error:
            advice = "the folder is replaced as a whole: choose one inside it"
            raise OSError(error.errno, f"{error.strerror} ({advice})", self.path) from error
        self._temporary = None  # what has this name now is the old folder
        try:
            names = self._check(temporary)
        except FileExistsError:  # somebody put a file there at the last moment
            _exchange(temporary, self._place)
            self._temporary = temporary
            raise
        with contextlib.suppress(OSError):  # the next one who writes here removes it
            for name in names:
                (temporary / name).rmdir() if (temporary / name).is_dir() else (temporary / name).unlink()
            for inner in sorted((p for p in temporary.rglob("*") if p.is_dir()), reverse=True):
                inner.rmdir()
            temporary.rmdir()


def _is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_own(folder: Path, name: str) -> bool:
    """Whether a name of the manifest's is that of a file in the folder, or of an empty folder there."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        return False
    above = [folder.joinpath(*parts[:i]) for i in range(1, len(parts))]
    if any(p.is_symlink() for p in above):
        return False
    path = folder / name
    return _is_plain_file(path) or (path.is_dir() and not path.is_symlink() and not any(path.iterdir()))


def _is_current(folder: Path) -> bool:
    try:
        return os.path.samefile(folder, os.curdir)
    except FileNotFoundError:  # the current folder has been deleted
        return False


def _exchange(new: Path, old: Path) -> None:
    """Let two folders change places.

    At once where the system can do that; elsewhere there is a moment with neither, and the old one can be found beside
    its place.
    """
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    if rename is not None:
        is_done = rename(_AT_FDCWD, os.fsencode(new), _AT_FDCWD, os.fsencode(old), _RENAME_EXCHANGE) == 0
        if is_done:
            return
    aside = new.with_suffix(".old")
    old.rename(aside)
    new.rename(old)
    aside.rename(new)


def manifest_of(folder: Path, name: str) -> dict[str, Any]:
    """The JSON object in a folder's manifest; an empty one if there is none, or it cannot be read."""
    path = folder / name
    try:
        if path.stat().st_size > _MAX_MANIFEST_BYTES:
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
