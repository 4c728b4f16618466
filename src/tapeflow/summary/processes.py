"""Other processes of this machine."""

from __future__ import annotations

import os


def is_alive(process: int) -> bool:
    """Whether a process is running, as far as one can know."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's, or we cannot know
        return True
    return True
