"""Where the board keeps what it has read. It imports nothing, so that it can be asked in a broken installation."""

from __future__ import annotations

import os


def cache_folder() -> str:
    """Where indexes are kept unless told otherwise: below XDG_CACHE_HOME or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tapeflow", "board")
