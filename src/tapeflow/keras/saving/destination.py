"""Where a user wants a file to be, and whether it may be written there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tapeflow.keras.annotations import PathLike


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


def as_path(filepath: PathLike, where: str) -> Path:
    """The path a user gave, `~` expanded."""
    try:
        return Path(os.fsdecode(filepath)).expanduser()
    except TypeError:
        raise TypeError(f"{where} expected a path; got filepath={filepath!r}.") from None
