"""`BackgroundWriter`: files written on a thread while training goes on.

Whoever saves takes the values first, by a copy or by holding on to them; writing, checksums and waiting for the
disk happen here. If the disk is slower than the saves come, one save waits for its turn and
gives way to the next: at most two copies of a model are on their way, and training never waits for the disk.
What goes wrong is raised at the next save or `wait`.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable
from typing import Any

Work = Callable[[], None]

_writers: weakref.WeakSet[BackgroundWriter] = weakref.WeakSet()


class BackgroundWriter:
    """Does one piece of work at a time on a thread, which lives while there is some.

    Args:
        name: what the thread is called.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._next: Work | None = None
        self._error: BaseException | None = None
        _writers.add(self)

    def __deepcopy__(self, memo: Any) -> BackgroundWriter:
        return BackgroundWriter(self._name)

    def run(self, work: Work) -> None:
        """Do `work` here and now, after what the thread is doing."""
        self.wait()
        work()

    def start(self, work: Work) -> None:
        """Do `work` on the thread, instead of what may be waiting there; raises what went wrong before."""
        with self._lock:
            failed, self._error = self._error, None
            self._next = work
            if self._thread is None:
                # Not a daemon: a program that ends normally has its last checkpoint.
                self._thread = threading.Thread(target=self._work, name=f"{self._name} writer", daemon=False)
                self._thread.start()
        if failed is not None:
            raise failed

    def _work(self) -> None:
        while True:
            with self._lock:
                work, self._next = self._next, None
                if work is None:
                    self._thread = None
                    return
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - it is raised where the user waits
                self._error = error

    def wait(self) -> None:
        """Wait until nothing is being written; raises what went wrong."""
        thread = self._thread
        if thread is not None:
            thread.join()
        self._raise_error()

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error


def settle() -> None:
    """Have everything that is being written on disk, for somebody who is about to read it."""
    for writer in list(_writers):
        thread = writer._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()


@atexit.register
def _report_failures() -> None:
    """A failed write that nobody asked about is not silent."""
    for writer in list(_writers):
        writer.wait()
