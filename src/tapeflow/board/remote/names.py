"""Names in storage elsewhere, as paths below a folder of this machine.

Anybody who may write there chooses the names. A name is taken only if it stays below the folder, and only if the board
reads files of that name.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from tapeflow.board.logdirs import is_event_file, is_profile_file
from tapeflow.summary.kinds.projector_files import CONFIG

MOST_DEPTH = 64
_MOST_BYTES = 255  # of a part of a path: what file systems take
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')  # what is no part of a path on some system
_PROJECTOR = "projector"  # the folder of what `tf.summary.embedding` writes


def parts_below(name: str, root: str) -> tuple[str, ...] | None:
    """The parts of a name below `root`, or None if it is no path below it; names of web servers are decoded."""
    above = f"{root}/"
    if not name.startswith(above):
        return None
    is_url = root.startswith(("http://", "https://"))
    parts = tuple(unquote(part) if is_url else part for part in name[len(above) :].split("/"))
    return parts if len(parts) <= MOST_DEPTH and all(map(_is_part, parts)) else None


def is_wanted(name: str) -> bool:
    """Whether the board reads a file of this name: events, profiles, and what the projector shows."""
    *folders, last = name.split("/")
    is_profile = folders[-3:-1] == ["plugins", "profile"] and is_profile_file(last)
    return is_event_file(last) or is_profile or last == CONFIG or _PROJECTOR in folders


def _is_part(part: str) -> bool:
    if part in ("", ".", "..") or _FORBIDDEN.search(part):
        return False
    try:
        return len(part.encode()) <= _MOST_BYTES
    except UnicodeEncodeError:  # half a character
        return False
