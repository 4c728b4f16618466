"""Other processes of this machine, and the end of this one."""

from __future__ import annotations

import atexit
import importlib
import os
import threading
from collections.abc import Callable
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


def before_executors_end(function: Callable[[], None]) -> None:
    """Call a function when the program has ended, while connections can still be made.

    Functions of `atexit` come later: by then the executors of `concurrent.futures` take no more work, with which
    asyncio looks up names. Of several functions the last one is called first.
    """
    importlib.import_module(
        "concurrent.futures.thread"
    )  # whose own end is registered first, and so comes later
    getattr(threading, "_register_atexit", atexit.register)(function)
