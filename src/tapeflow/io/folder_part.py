"""A file of a folder that somebody else may have made."""

from __future__ import annotations

import os
from pathlib import Path


def part_of(folder: str | os.PathLike[str], name: str) -> Path:
    """The path of a file in a folder, which need not be there.

    Raises:
        ValueError: a link leads out of the folder.
    """
    path = Path(folder, name)
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(os.path.realpath(folder)):
        raise ValueError(
            f"Loading expected {name!r} inside the folder {str(folder)!r}; got a symbolic link to a place outside it, "
            f"{str(target)!r}, and is not followed. Copy the file into the folder."
        )
    return path
