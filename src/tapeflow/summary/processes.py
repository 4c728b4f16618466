"""Other processes of this machine."""

from __future__ import annotations

import os
from pathlib import Path


def is_alive(process: int) -> bool:
    """Whether a process is running, as far as one can know."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's, or we cannot know
        return True
    return not _has_ended(process)


def _has_ended(process: int) -> bool:
    """Whether a process has ended, and nobody has taken note: in containers, the first process often does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[:1]
    except OSError:  # not Linux, or it is gone just now
        return False
    return state in ([b"Z"], [b"X"])
