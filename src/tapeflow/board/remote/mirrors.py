"""The mirrors of a board: where they are kept, and the threads that bring them up to date.

A mirror lies in the cache folder, so that the next start reads new bytes alone. Two boards never write to one mirror: a
second one makes its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence

from tapeflow.board.file_lock import locked
from tapeflow.board.logdirs import Logdir
from tapeflow.board.notes import RUNS
from tapeflow.board.remote.mirror import Mirror
from tapeflow.board.schema import Note
from tapeflow.summary.remote import is_remote, shown_address

INTERVAL_S = 1.0
_LONGEST_PAUSE_S = 30.0  # between attempts that fail
_REST = 2  # times as long as a look took is waited before the next
_MOST_SHARING = 8  # boards with a mirror of one address in one cache folder
_KEPT_S = 90 * 86400.0
_STOP_S = 2.0
_held_on: list[
    contextlib.ExitStack
] = []  # what threads that could not be stopped use, until the process ends
_log = logging.getLogger("tapeflow.board")


class Mirrors:
    """Copies of those of some log folders that are elsewhere.

    Args:
        logdirs: the log folders, some of which have an address as path.
        cache: the folder below which copies are kept; None for a temporary one.
        interval_s: the pause between two looks.

    Attributes:
        logdirs: the same with folders of this machine.
    """

    def __init__(self, logdirs: Sequence[Logdir], cache: str | None, interval_s: float = INTERVAL_S) -> None:
        self._interval_s = interval_s
        self._folder = os.path.join(cache, "remote") if cache is not None else None
        self._held = contextlib.ExitStack()
        self._mirrors: dict[str, Mirror] = {}
        self._failures: dict[str, Note] = {}
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self.logdirs = [self._local(logdir) if is_remote(logdir.path) else logdir for logdir in logdirs]

    def _local(self, logdir: Logdir) -> Logdir:
        shown = shown_address(logdir.path)
        mirror = self._mirrors.get(shown)
        if mirror is None:
            mirror = self._mirrors[shown] = Mirror(logdir.path, self._claimed(logdir.path))
            mirror.files.mkdir(parents=True, exist_ok=True)
        return Logdir(str(mirror.files), logdir.name, shown)

    def _claimed(self, address: str) -> str:
        """A folder that no other board writes to until `stop`."""
        key = hashlib.blake2s(address.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        if self._folder is not None:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            for number in range(_MOST_SHARING):
                folder = os.path.join(self._folder, f"{key}-{number}")
                with contextlib.suppress(TimeoutError):
                    self._held.enter_context(locked(f"{folder}.lock", time.monotonic()))
                    os.utime(f"{folder}.lock")
                    return folder
        folder = tempfile.mkdtemp(prefix="tapeflow-board-")
        self._held.callback(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def start(self, changed: Callable[[], None]) -> None:
        """Begin to copy; `changed` is called when there is something else to say in `notes`."""
        for shown, mirror in self._mirrors.items():
            thread = threading.Thread(
                target=self._run, args=(shown, mirror, changed), name="board-mirror", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def sync_once(self) -> None:
        """Copy everything there is.

        Raises:
            OSError: a log folder cannot be read.
            ImportError: a package is missing.
        """
        for mirror in self._mirrors.values():
            mirror.sync()

    def stop(self) -> None:
        """End copying; a thread that waits for a slow server is left to itself."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(_STOP_S)
        if any(thread.is_alive() for thread in self._threads):
            _held_on.append(self._held.pop_all())  # it may still write
        self._held.close()
        self._prune()

    def notes(self) -> list[Note]:
        """What is wrong with them."""
        found = list(self._failures.values())
        for shown, mirror in self._mirrors.items():
            if mirror.left_out:
                found.append(RUNS("remote_names", address=shown, n=mirror.left_out))
        return found

    def _run(self, shown: str, mirror: Mirror, changed: Callable[[], None]) -> None:
        failures = 0
        while not self._stopping.is_set():
            begin, left_out = time.monotonic(), mirror.left_out
            failure = _failure(mirror, shown)
            if self._stopping.is_set():
                return
            if failure != self._failures.get(shown):
                if failure is None:
                    _log.warning("%s can be read again", shown)
                    del self._failures[shown]
                else:
                    _log.warning("%s", failure["text"])
                    self._failures[shown] = failure
                changed()
            elif left_out != mirror.left_out:
                changed()
            failures = min(failures + 1, 8) if failure else 0
            rest = max(self._interval_s, _REST * (time.monotonic() - begin))
            self._stopping.wait(min(rest * 2**failures, max(_LONGEST_PAUSE_S, rest)) if failures else rest)

    def _prune(self) -> None:
        """Remove mirrors that nobody has used for a season."""
        if self._folder is None or not os.path.isdir(self._folder):
            return
        for entry in list(os.scandir(self._folder)):
            lock = f"{entry.path}.lock"
            with contextlib.suppress(OSError):  # another board may do the same
                if entry.is_dir() and time.time() - os.stat(lock).st_mtime > _KEPT_S:
                    with locked(lock, time.monotonic()):
                        shutil.rmtree(entry.path)


def _failure(mirror: Mirror, shown: str) -> Note | None:
    """Bring a mirror up to date; gives what went wrong."""
    try:
        mirror.sync()
    except (OSError, ImportError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        return RUNS("remote", address=shown, error=reason)
    return None
