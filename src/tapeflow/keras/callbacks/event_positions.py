"""Where event files end, so that a training that is gone on with writes no step twice.

What an interrupted training wrote after its last backup will be written again. Files are cut back to where they
were then, and files that it began afterwards are removed: those of the process that made the backup, and of
processes that went on from it before. The latter say so in a note in the first folder, as they may not live to
make a backup of their own. Other files belong to somebody else, and stay.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tapeflow.train.atomic import is_left

_NAME = re.compile(r"events\.out\.tfevents\.(\d+)\.(.+)\.(\d+)\.\d+(\.\D.*)?")
_NOTE = ".continued"  # lines: the backup, and a process that went on from it


def positions(folders: Iterable[Path]) -> Any:
    """The event files in some folders and how long each is; what is to be kept must have been flushed."""
    sizes = {_key(file): file.stat().st_size for folder in folders for file in _event_files(folder)}
    return {"sizes": sizes, "time": time.time(), "process": _this_process()}


def cut_back(folders: Sequence[Path], saved: Any, own: Iterable[str]) -> None:
    """Have the event files in some folders as they were; `own` are the ones this process has begun."""
    keep = set(own)
    backup = f"{saved['process']}@{saved['time']!r}"
    processes = {saved["process"], *_noted(folders[0], backup)}
    for folder in folders:
        for file in _event_files(folder):
            size = saved["sizes"].get(_key(file))
            if str(file) in keep:
                continue
            if size is not None and file.stat().st_size > size:
                os.truncate(file, size)
            elif size is None and _is_orphan(file, saved["time"], processes):
                file.unlink(missing_ok=True)
    _note(folders[0], backup)


def _key(file: Path) -> str:
    """A file's name in the log folder, which may have been moved."""
    return f"{file.parent.name}/{file.name}"


def _event_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("events.out.tfevents.*")) if folder.is_dir() else []


def _this_process() -> str:
    return f"{socket.gethostname()}.{os.getpid()}"


def _noted(folder: Path, backup: str) -> list[str]:
    """The processes that went on from a backup."""
    try:
        lines = (folder / _NOTE).read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [line.removeprefix(f"{backup} ") for line in lines if line.startswith(f"{backup} ")]


def _note(folder: Path, backup: str) -> None:
    """Say that this process goes on from a backup."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _NOTE).open("a") as file:
        file.write(f"{backup} {_this_process()}\n")


def _is_orphan(file: Path, since: float, processes: set[str]) -> bool:
    """Whether one of these processes, which is of this machine and no more, began the file after a time."""
    match = _NAME.fullmatch(file.name)
    if match is None:
        return False
    stamp, host, process, _ = match.groups()
    is_theirs = f"{host}.{process}" in processes and host == socket.gethostname()
    return is_theirs and int(stamp) >= int(since) and is_left(file, int(process))
