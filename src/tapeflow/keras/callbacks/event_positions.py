"""`EventPositions`: where event files end, so that a training that is resumed writes no step twice.

What an interrupted training wrote after its last backup will be written again. Files are cut back to where they
were then, and files that it began afterwards are removed. It does not live to say in a backup which ones these are, so
it notes each file that it begins in the first of its folders. Other files belong to somebody else, and stay.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tapeflow.io.temporary import sync
from tapeflow.summary.files import open_files
from tapeflow.summary.processes import is_alive
from tapeflow.train.background import BackgroundWriter

_log = logging.getLogger("tapeflow.keras")
_NAME = re.compile(r"events\.out\.tfevents\.\d+\.(?P<host>.+)\.(?P<process>\d+)\.\d+(\.\D.*)?")
_NOTE = ".continued"  # lines: a training, and a file that it began


class EventPositions:
    """The event files that one training writes, over all the processes that go on with it.

    Args:
        folders: where they are; none if they are elsewhere, where files cannot be cut back.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._training = secrets.token_hex(8)
        self._is_noting = False  # not unless somebody may resume it
        self._syncer = BackgroundWriter("event file")
        self._synced: dict[Path, int] = {}

    def state(self) -> Any:
        """How long each file is; what is to be kept must have been flushed.

        A backup that has it is written when that much of the files is on disk.
        """
        self._is_noting = True
        sizes = {file: file.stat().st_size for file in self._files()}
        grown = [file for file, size in sizes.items() if size != self._synced.get(file)]
        self._synced = sizes
        if grown:
            self._syncer.start(lambda: _sync(grown))
        return {"training": self._training, "sizes": {_key(file): size for file, size in sizes.items()}}

    def restore(self, saved: Any) -> bool:
        """Have the files as they were then.

        Returns:
            Whether all the files are there that were there then.
        """
        self._training, self._is_noting = saved.get("training", self._training), True
        try:
            self._cut_back(saved["sizes"])
        except OSError as error:
            _log.warning(
                "TensorBoard could not take out what is logged again: %s. Steps may be there twice.", error
            )
        return {_key(file) for file in self._files()}.issuperset(saved["sizes"])

    def note(self, path: str) -> None:
        """Note that the training begins a file."""
        if self._is_noting and self._folders:
            self._folders[0].mkdir(parents=True, exist_ok=True)
            with (self._folders[0] / _NOTE).open("a", encoding="utf-8") as file:
                file.write(f"{self._training} {_key(Path(path))}\n")

    def _cut_back(self, sizes: dict[str, int]) -> None:
        begun = self._begun()
        for file in self._files():
            size = sizes.get(_key(file))
            if size is not None and file.stat().st_size > size:
                os.truncate(file, size)
            elif size is None and _key(file) in begun and not _is_in_use(file):
                file.unlink(missing_ok=True)

    def _begun(self) -> set[str]:
        """The files that the training has begun."""
        if not self._folders:
            return set()
        try:
            lines = (self._folders[0] / _NOTE).read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return set()
        start = f"{self._training} "
        return {line.removeprefix(start) for line in lines if line.startswith(start)}

    def _files(self) -> list[Path]:
        return [file for folder in self._folders for file in sorted(folder.glob("events.out.tfevents.*"))]


def _sync(files: list[Path]) -> None:
    for file in files:
        with contextlib.suppress(OSError):  # it may be gone, or on a disk that cannot
            sync(file)


def _key(file: Path) -> str:
    """A file's name in the log folder, which may have been moved."""
    return f"{file.parent.name}/{file.name}"


def _is_in_use(file: Path) -> bool:
    """Whether somebody on this machine may be writing to a file."""
    match = _NAME.fullmatch(file.name)
    if match is None or int(match["process"]) == os.getpid():
        return str(file) in open_files()
    return match["host"] == socket.gethostname() and is_alive(int(match["process"]))
