"""Extracts archives beside themselves: all of an archive, or nothing of it.

The members are written to a fresh folder by `_Writer`, which never writes through a link: files first, links last,
and only links to what the same archive holds. Then everything is moved into place. An archive may replace the files
that it wrote itself, which a record beside it tells (`.NAME.extracted.json`), and no others.
"""

from __future__ import annotations

import filecmp
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from tapeflow.io.temporary import temporary_beside
from tapeflow.keras.utils.archive_members import (
    Limits,
    Member,
    RefusedArchive,
    UnsafeMember,
    members,
    reading,
)
from tapeflow.train.atomic import replacing

RECORD_SUFFIX = ".extracted.json"
_CHUNK_BYTES = 1 << 18
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def extract_archive(path: Path, formats: Sequence[str], where: str) -> None:
    """Extract the archive at `path` into its folder.

    Raises:
        ValueError: it is no archive of these formats, damaged or unbelievably large, or it would write outside of
            the folder or replace files that it did not write. Nothing is extracted then.
    """
    part = temporary_beside(path, is_folder=True)
    try:
        limits = Limits(path.stat().st_size)
        found = members(path, formats, limits)
        if found is None:
            raise ValueError(
                f"{where} expected an archive to extract ({' or '.join(formats)}); got {path}, which is none. "
                "Pass archive_format, or extract=False."
            )
        _Writer(part, limits).write(found)
        _place(part, path)
    except RefusedArchive as refusal:
        raise ValueError(
            f"{where} expected {refusal.rule}; got {path.name} {refusal}. Nothing was extracted: {refusal.remedy}."
        ) from refusal.__cause__
    finally:
        shutil.rmtree(part)


class _Occupied(RefusedArchive):
    """An archive that has something else for a place that is taken."""

    rule = "an archive that replaces no files but its own"
    remedy = "delete or rename what is there, or choose another cache_subdir"


class _Writer:
    """Writes the members of an archive to a fresh folder.

    Args:
        root: the folder, empty and nobody else's.
        limits: what copies of files are counted by; `members` counts the rest.
    """

    def __init__(self, root: Path, limits: Limits) -> None:
        self._root = root
        self._limits = limits
        self._kinds = {"": "folder"}
        self._targets: dict[str, str] = {}

    def write(self, found: Iterator[Member]) -> None:
        """Write all members; where a file is there twice, the last one counts, as with `tar`."""
        for member in found:
            if _is_record(member.name):
                raise UnsafeMember(member.name, "a name that is kept for records of extracted files")
            self._occupy(member.name, "file" if member.kind == "copy" else member.kind)
            if member.kind == "file":
                self._write_file(member)
            elif member.kind == "copy":
                self._copy_file(member)
            elif member.kind == "link":
                self._targets[member.name] = member.target
        for name in self._targets:
            self._check_link(name)
        for name, target in self._targets.items():
            (self._root / name).symlink_to(target)

    def _occupy(self, name: str, kind: str) -> None:
        """Reserve a place, and make the folders that lead there."""
        if self._kinds.get(name, kind) != kind:
            raise UnsafeMember(name, f"a {kind} where it has a {self._kinds[name]}, too")
        if name and name not in self._kinds:
            self._occupy(name.rpartition("/")[0], "folder")
            if kind == "folder":
                (self._root / name).mkdir()
        elif kind == "file":
            (self._root / name).unlink()
        self._kinds[name] = kind

    def _write_file(self, member: Member) -> None:
        # The user's umask decides who may read it; no other bit of the archive's mode is taken over.
        mode = 0o777 if member.is_executable else 0o666
        with os.fdopen(os.open(self._root / member.name, _NEW_FILE, mode), "wb") as file:
            while True:
                with reading():
                    chunk = member.content.read(_CHUNK_BYTES) if member.content else b""
                if not chunk:
                    return
                file.write(chunk)

    def _copy_file(self, member: Member) -> None:
        if self._kinds.get(member.target) != "file" or member.target == member.name:
            raise UnsafeMember(member.name, f"a hard link to {member.target!r}, which is no file of it")
        source = self._root / member.target
        self._limits.spend(source.stat().st_size)
        shutil.copy(source, self._root / member.name)

    def _check_link(self, name: str) -> None:
        """Raise unless a link leads to something in the archive, whatever other links there are."""
        seen = {name}
        place = self._resolved(name)
        while self._kinds.get(place) == "link" and place not in seen:
            seen.add(place)
            place = self._resolved(place)
        if self._kinds.get(place) not in ("file", "folder"):
            raise UnsafeMember(name, f"a link to {self._targets[name]!r}, which it does not hold")

    def _resolved(self, name: str) -> str:
        """Where a link leads; ".." may only be at the beginning, where it leaves real folders."""
        target = PurePosixPath(self._targets[name])
        parts = list(target.parts)
        folder = name.split("/")[:-1]
        while parts and parts[0] == ".." and folder:
            parts.pop(0)
            folder.pop()
        if target.is_absolute() or ".." in parts:
            raise UnsafeMember(name, f"a link to {self._targets[name]!r}, which reaches outside")
        return "/".join((*folder, *parts))


def _is_record(name: str) -> bool:
    """Whether a member has the name of a record, which says what an archive may replace."""
    top = name.partition("/")[0].lower()
    return top.startswith(".") and top.endswith(RECORD_SUFFIX)


def _place(part: Path, archive: Path) -> None:
    """Move what was extracted into the archive's folder, once it is clear that nothing else is replaced."""
    record = archive.with_name(f".{archive.name}{RECORD_SUFFIX}")
    written = _read_record(record)
    moves = list(_moves(part, archive.parent, "", written))
    added = {name for source, _, name in moves for name in _files_in(source, name)}
    if not added <= written:
        # Before the files: what an interrupted extraction has placed may be replaced by the next one.
        with replacing(record, follows_link=False) as temporary:
            temporary.write_text(json.dumps(sorted(written | added)), "utf-8")
    for source, target, _ in moves:
        source.replace(target)


def _moves(source: Path, target: Path, name: str, written: set[str]) -> Iterator[tuple[Path, Path, str]]:
    """What is to be moved where, and its name; folders that are there already are added to, not moved."""
    for entry in sorted(source.iterdir()):
        place = target / entry.name
        inner = f"{name}/{entry.name}" if name else entry.name
        is_folder = entry.is_dir() and not entry.is_symlink()
        if not os.path.lexists(place):
            yield entry, place, inner
        elif is_folder and place.is_dir() and not place.is_symlink():
            yield from _moves(entry, place, inner, written)
        elif is_folder or (place.is_dir() and not place.is_symlink()):
            raise _Occupied(
                f"with {inner!r}, where there is {'a link' if place.is_symlink() else 'something else'}"
            )
        elif inner in written:
            yield entry, place, inner
        elif not _is_same(entry, place):
            raise _Occupied(f"with {inner!r}, where there is another file that it did not write")


def _is_same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    return other.is_file() and filecmp.cmp(one, other, shallow=False)


def _files_in(path: Path, name: str) -> Iterator[str]:
    if path.is_symlink() or not path.is_dir():
        yield name
        return
    for entry in path.iterdir():
        yield from _files_in(entry, f"{name}/{entry.name}")


def _read_record(path: Path) -> set[str]:
    """The files that an archive wrote earlier; without a readable record, none."""
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return set()
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()
