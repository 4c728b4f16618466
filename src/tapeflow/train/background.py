"""`BackgroundWriter`: files written on a thread while training goes on.

Whoever saves takes the values first, by a copy or by holding on to them; writing, checksums and waiting for the
disk happen here. If the disk is slower than the saves come, one save waits for its turn and
gives way to the next: at most two copies of a model are on their way, and training never waits for the disk.
What goes wrong is raised at the next save or `wait`.

A `CommitWriter` writes what says that a step is done, such as a backup to resume from. Whatever other writers were
given before is on disk before it writes, so nothing that an interrupted training left unwritten counts as done.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable
from typing import Any, Self

Work = Callable[[], None]

_writers: weakref.WeakSet[BackgroundWriter] = weakref.WeakSet()


class NotCommitted(OSError):
    """Something that others were to write before is not on disk; they raise why."""


class BackgroundWriter:
    """Does one piece of work at a time on a thread, which lives while there is some.

    Args:
        name: what the thread is called.
    """

    is_commit = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._next: Work | None = None
        self._error: BaseException | None = None
        # Pieces of work are numbered from 1: the last one given, the last one done or given up, the last that failed.
        self._given = self._done = self._failed = 0
        _writers.add(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(self.name)

    def run(self, work: Work) -> None:
        """Do `work` here and now, after what the thread is doing."""
        self.wait()
        work()

    def start(self, work: Work) -> None:
        """Do `work` on the thread, instead of what may be waiting there; raises what went wrong before."""
        with self._changed:
            failed, self._error = self._error, None
            self._next = work
            self._given += 1
            if self._thread is None:
                # Not a daemon: a program that ends normally has its last checkpoint.
                self._thread = threading.Thread(target=self._work, name=f"{self.name} writer", daemon=False)
                self._thread.start()
        if failed is not None:
            raise failed

    def _work(self) -> None:
        while True:
            with self._changed:
                work, self._next = self._next, None
                number = self._given
                if work is None:
                    self._thread = None
                    return
            error = _error_of(work)
            with self._changed:
                self._done = number
                if error is not None:
                    self._error, self._failed = error, number
                self._changed.notify_all()

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

    def _promise(self) -> Work | None:
        """What waits until the work given so far is done, and raises if it failed; None if there is nothing to say."""
        with self._changed:
            wanted, done = self._given, self._done
            if self._error is not None:
                done = self._failed - 1
            elif done == wanted:
                return None

        def keep() -> None:
            with self._changed:
                self._changed.wait_for(lambda: self._done >= wanted)
                has_failed = self._failed > done
            if has_failed:
                raise NotCommitted(f"what the {self.name} writer was given before could not be written")

        return keep


class CommitWriter(BackgroundWriter):
    """Does its work only when all that was given to other writers before is on disk.

    If some of that could not be written, the work is not done, and `NotCommitted` is raised. Two of them do not wait
    for one another.
    """

    is_commit = True

    def run(self, work: Work) -> None:
        """Do `work` here and now, after what this and other writers are doing."""
        super().run(_after_others(work))

    def start(self, work: Work) -> None:
        """Do `work` on the thread, after what other writers have been given by now."""
        super().start(_after_others(work))


def _after_others(work: Work) -> Work:
    promises = [writer._promise() for writer in list(_writers) if not writer.is_commit]

    def commit() -> None:
        for keep in promises:
            if keep is not None:
                keep()
        work()

    return commit


def _error_of(work: Work) -> BaseException | None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - it is raised where the user waits
        return error
    return None


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
