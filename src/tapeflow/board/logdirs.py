"""The log folders, and the runs in them.

Nothing outside them is read: a link is followed only if what it leads to lies inside the same log folder. What
is left out for that reason is reported as a run that cannot be read, so that nobody wonders where it went.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tapeflow.board.garbage import no_collection
from tapeflow.board.notes import RUNS
from tapeflow.board.schema import Note
from tapeflow.summary.remote import is_remote, shown_address

MOST_RUNS = 100_000
MOST_PROFILES = 1000  # of a run
NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)  # what the system says if no more files can be opened
_MOST_DEPTH = 64
_FRESH_NS = 2_000_000_000  # for so long a folder may change again without its time telling
_NUMBER = re.compile(r"([0-9]+)")


@dataclass(frozen=True)
class Logdir:
    """A folder to look for runs in, or a single event file.

    Attributes:
        path: absolute, as the user wrote it; it need not exist. Or an address, such as `s3://bucket/runs`, until a
            board makes a copy of what is there.
        name: what the names of its runs begin with; may be "".
        address: where it is a copy of, without a password; "" for a folder of its own.
    """

    path: str
    name: str = ""
    address: str = ""

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return shown_address(self.path) if is_remote(self.path) else self.address or shown(self.path)


class FileStatus(NamedTuple):
    """What is remembered of the status of an event file, with the names that `os.stat_result` has for it."""

    st_dev: int
    st_ino: int
    st_size: int
    st_ctime_ns: int
    st_mtime: float

    @classmethod
    def of(cls, status: os.stat_result) -> FileStatus:
        """What is remembered: of thousands of files, the rest would take as much memory as everything else."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns, status.st_mtime)


class Leaf(NamedTuple):
    """A folder that holds no folder and no link: device and number, when it last changed, and its event files."""

    identity: tuple[int, int]
    changed_ns: int
    files: tuple[str, ...]


Leaves = dict[str, Leaf]
"""Folders by their path. As long as the time of one is the same, nothing has come into it or gone from it."""


@dataclass
class FoundRun:
    """A folder with event files.

    Attributes:
        id: short and the same at every start.
        name: unique; as TensorBoard would call it.
        logdir: which of the log folders it is in.
        folder: where it is.
        files: its event files as they are to be opened, oldest first, with their status.
        profiles: the files of its profiles, by the name of their folder in `plugins/profile`.
        refusal: why nothing of it may be read, or None.
    """

    id: str
    name: str
    logdir: int
    folder: str
    files: dict[str, FileStatus] = field(default_factory=dict)
    profiles: dict[str, dict[str, os.stat_result]] = field(default_factory=dict)
    refusal: Note | None = None


def is_event_file(name: str) -> bool:
    """Whether a file of this name holds events; TensorBoard's rule."""
    return "tfevents" in name and not name.endswith(".profile-empty")


def run_id(name: str) -> str:
    """A short name for a run that fits into a URL."""
    return hashlib.blake2s(name.encode(), digest_size=6).hexdigest()


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts numbers in names by value: run_2 before run_10."""
    parts = enumerate(_NUMBER.split(text))
    return [(0, int(part[:18]), part) if i % 2 else (1, 0, part) for i, part in parts]


def shown(path: str) -> str:
    """A path as text: bytes that are no UTF-8 are written as \\x.."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")


def find_runs(logdirs: list[Logdir], leaves: Leaves | None = None) -> dict[str, FoundRun]:
    """All runs, by id.

    Folders in `leaves` that have not changed are not looked through again, only their files looked at; those that
    are found to be such folders are added to it.
    """
    found: dict[str, FoundRun] = {}
    with no_collection():
        for number, logdir in enumerate(logdirs):
            for run in _runs_of(number, logdir, {} if leaves is None else leaves):
                if len(found) >= MOST_RUNS:
                    return found
                found.setdefault(run.id, run)
    return found


def _runs_of(number: int, logdir: Logdir, leaves: Leaves) -> Iterator[FoundRun]:
    root = os.path.realpath(logdir.path)
    try:
        status = os.stat(root)
    except OSError:
        return
    if stat.S_ISREG(status.st_mode):
        name = logdir.name or "."
        yield FoundRun(run_id(name), name, number, root, {root: FileStatus.of(status)})
        return
    seen: set[str] = set()
    waiting = [(root, "", 0)]
    while waiting:
        folder, relative, depth = waiting.pop()
        if folder in seen or depth > _MOST_DEPTH:
            continue  # a link that leads in a circle
        seen.add(folder)
        name = shown("/".join(part for part in (logdir.name, relative) if part)) or "."
        run = FoundRun(run_id(name), name, number, folder)
        try:
            now_ns, own = time.time_ns(), os.stat(folder)
            known = leaves.get(folder)
            if known is not None and known[:2] == ((own.st_dev, own.st_ino), own.st_mtime_ns):
                files = _files_of(folder, known)
                if files is not None:
                    run.files = files
                    if files:
                        yield run
                    continue
            leaves.pop(folder, None)
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno in NO_DESCRIPTORS:
                raise  # it says nothing about the folder
            run.refusal = RUNS("folder_unreadable", error=error.strerror or "")
            yield run
            continue
        inner = []
        for entry in entries:
            below = f"{relative}/{entry.name}" if relative else entry.name
            try:
                place = _inside(entry, root)
                if place is None:
                    if is_event_file(entry.name) or entry.is_dir():
                        yield _left_out(number, logdir, below, entry)
                elif entry.is_dir():
                    inner.append((place, below, depth + 1))
                elif is_event_file(entry.name) and entry.is_file():
                    run.files[place] = FileStatus.of(entry.stat())
            except OSError:
                continue  # gone meanwhile, or a link to nothing
        is_leaf = not any(entry.is_symlink() or not entry.is_file() for entry in entries)
        if is_leaf and now_ns - own.st_mtime_ns > _FRESH_NS:
            names = tuple(os.path.basename(path) for path in run.files)
            leaves[folder] = Leaf((own.st_dev, own.st_ino), own.st_mtime_ns, names)
        waiting += reversed(inner)
        run.profiles = _profiles(root, inner)
        if run.files or run.profiles:
            yield run


def _files_of(folder: str, leaf: Leaf) -> dict[str, FileStatus] | None:
    """The event files of a folder that has not changed; None if one is not as it was."""
    found: dict[str, FileStatus] = {}
    for name in leaf.files:
        path = os.path.join(folder, name)
        try:
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        found[path] = FileStatus.of(status)
    return found


def is_profile_file(name: str) -> bool:
    """Whether a file of this name is part of a profile."""
    return name.endswith((".xplane.pb", ".steps.jsonl")) and not name.startswith(".")


def _profiles(root: str, inner: list[tuple[str, str, int]]) -> dict[str, dict[str, os.stat_result]]:
    """The profiles in the `plugins/profile` of a run with these folders in it, the latest of them if there are many."""
    plugins = next((place for place, below, _ in inner if os.path.basename(below) == "plugins"), None)
    if plugins is None:
        return {}
    found: dict[str, dict[str, os.stat_result]] = {}
    for profiles in (f for f in _entries(plugins, root) if f.name == "profile" and f.is_dir()):
        for session in sorted(_entries(profiles.path, root), key=lambda entry: entry.name)[-MOST_PROFILES:]:
            files = _entries(session.path, root) if session.is_dir() else []
            chosen = {f.path: f.stat() for f in files if is_profile_file(f.name) and f.is_file()}
            if chosen:
                found[shown(session.name)] = chosen
    return found


def _entries(folder: str, root: str) -> list[os.DirEntry[str]]:
    """What is in a folder and no link: a profile that somebody linked is found where it is."""
    try:
        return [entry for entry in os.scandir(folder) if not entry.is_symlink() and _inside(entry, root)]
    except OSError:
        return []  # gone meanwhile, or not to be read


def _inside(entry: os.DirEntry[str], root: str) -> str | None:
    """Where an entry really is, or None if that is outside the log folder."""
    if not entry.is_symlink():
        return entry.path
    place = os.path.realpath(entry.path)
    return place if place == root or place.startswith(root.rstrip(os.sep) + os.sep) else None


def _left_out(number: int, logdir: Logdir, below: str, entry: os.DirEntry[str]) -> FoundRun:
    name = shown("/".join(part for part in (logdir.name, below) if part))
    return FoundRun(
        run_id(name),
        name,
        number,
        entry.path,
        refusal=RUNS("link_out"),
    )
