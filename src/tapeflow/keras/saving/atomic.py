"""Files that are replaced whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; on success it takes the place of `path`.

    What was there before stays until the new file is on disk. If writing fails nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # some systems cannot sync a folder, and need not
        _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def may_write(path: Path, overwrite: bool) -> bool:
    """Whether to write to `path`: if something is there and is not to be overwritten, the user is asked.

    Raises:
        FileExistsError: there is nobody to ask.
    """
    if overwrite or not path.exists():
        return True
    if not sys.stdin or not sys.stdin.isatty():
        raise FileExistsError(
            f"Saving expected a path where nothing is yet; got {str(path)!r}, which exists, and overwrite=False. "
            "Pass overwrite=True or another path."
        )
    answer = ""
    while answer not in ("y", "n"):
        answer = input(f"[WARNING] {path} already exists - overwrite? [y/n]").strip().lower()
    return answer == "y"


def as_path(filepath: Any, where: str) -> Path:
    """The path a user gave, `~` expanded."""
    try:
        return Path(os.fsdecode(filepath)).expanduser()
    except TypeError:
        raise TypeError(f"{where} expected a path; got filepath={filepath!r}.") from None
