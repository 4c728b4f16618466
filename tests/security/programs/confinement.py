"""What a process that loads hostile files may do: read, and write in one folder. Anything else ends it at once."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.remove": 1, "os.rename": 2, "os.rmdir": 1, "os.mkdir": 1, "os.link": 2, "os.symlink": 2, "os.truncate": 1,
    "os.chmod": 1, "os.chown": 1, "os.utime": 1, "shutil.rmtree": 1, "shutil.move": 2, "shutil.copyfile": 2,
    "shutil.unpack_archive": 2,
}  # fmt: skip
_FORBIDDEN = (
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn", "socket.connect",
    "socket.bind", "socket.sendto", "urllib.Request", "pickle.find_class", "code.__new__", "function.__new__",
    "ctypes.", "webbrowser.open",
)  # fmt: skip


class Confinement:
    """Watches this process from `begin` on.

    Args:
        folder: where it may write.
        log: an open file to say in what it did.
    """

    def __init__(self, folder: Path, log: int) -> None:
        self._folder, self._log = os.path.realpath(folder), log
        self._is_on = False
        sys.addaudithook(self._heard)

    def begin(self, room: int) -> None:
        """From now on nothing else may be done, and so many bytes more be taken."""
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + room
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        self._is_on = True

    def end(self) -> None:
        """Let this process do what it likes again."""
        self._is_on = False

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._is_on:
            return
        if event == "open":
            path, _, flags = args
            if isinstance(path, (str, bytes)) and isinstance(flags, int) and flags & _WRITING:
                self._require_inside(event, path)
        elif event in _CHANGES:
            for path in args[: _CHANGES[event]]:
                self._require_inside(event, path)
        elif (event == "marshal.loads" and not _is_importing()) or event.startswith(_FORBIDDEN):
            self._stop(event, args)

    def _require_inside(self, event: str, path: Any) -> None:
        found = os.path.realpath(os.fsdecode(path)) if isinstance(path, (str, bytes, os.PathLike)) else ""
        if not (found + os.sep).startswith(self._folder + os.sep):
            self._stop(event, (path,))

    def _stop(self, event: str, args: tuple[Any, ...]) -> None:
        os.write(self._log, f"FORBIDDEN {event} {str(args)[:300]}\n".encode())
        os._exit(3)


def _is_importing() -> bool:
    frame = sys._getframe()
    while frame is not None:
        if "importlib._bootstrap" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
