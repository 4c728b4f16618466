"""Files that are replaced whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Iterator
from pathlib import Path

_ABANDONED_S = 24 * 3600.0


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; on success it takes the place of `path`.

    What was there before stays until the new file is on disk. If writing fails nothing is left behind; what a
    killed process left behind is removed by the next one that writes there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    temporary = path.with_name(
        f".{path.name}.{os.getpid()}-{secrets.token_hex(6)}.{socket.gethostname()}.tmp"
    )
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


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for `path` whose writers are no more; of other machines', those nobody writes to."""
    start = f".{path.name}."
    for name in os.listdir(path.parent):
        writer = name.removeprefix(start).split("-", 1)[0]
        if not (name.startswith(start) and name.endswith(".tmp") and writer.isdigit()):
            continue
        left = path.parent / name
        is_ours = name.endswith(f".{socket.gethostname()}.tmp")
        if not is_alive(int(writer)) if is_ours else _is_abandoned(left):
            left.unlink(missing_ok=True)


def _is_abandoned(file: Path) -> bool:
    try:
        return time.time() - file.stat().st_mtime > _ABANDONED_S
    except FileNotFoundError:
        return False


def is_alive(process: int) -> bool:
    """Whether a process of this machine is running."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's, or we cannot know
        return True
    return True
