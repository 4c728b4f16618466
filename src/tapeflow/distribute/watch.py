"""Naming workers that hang: alive, but not where the others wait for them.

Every process counts the programs that it has begun of those that all must run, and tells the others. When it has
begun no other for a while, and some process has begun fewer, it waits for that one.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Mapping
from types import FrameType

from tapeflow.engine.devices import processes
from tapeflow.engine.devices.processes import Member

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LIBRARIES = (*{sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}, _OWN, "<")
_EXIT_CODE = 1
_LONGEST_INTERVAL_S = 2.0


class Watch:
    """A thread that says for whom this process waits.

    Args:
        member: which of the processes this is.
        hosts: the names of their hosts.
        timeout_s: how long to wait until it says so.
        ends: whether to end this process if it waits for as long again.
    """

    def __init__(self, member: Member, hosts: Mapping[int, str], timeout_s: float, ends: bool) -> None:
        self._member, self._hosts, self._timeout_s, self._ends = member, hosts, timeout_s, ends
        self._begun = -1
        self._since = 0.0
        self._named: set[int] = set()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Watch until the interpreter ends."""
        self._thread.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Watch no more."""
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over.wait(min(self._timeout_s / 8, _LONGEST_INTERVAL_S)):
            try:
                self.look(time.monotonic())
            except RuntimeError:
                return  # there is no table any more: the first process has gone, as JAX reports by itself

    def look(self, now: float) -> None:
        """Tell the others where this process is, and say for whom it waits if it has waited too long."""
        if processes.begun != self._begun:
            self._begun, self._since, self._named = processes.begun, now, set()
        waited_s = now - self._since
        place = _place(sys._current_frames().get(threading.main_thread().ident or 0))
        processes.tell_now(
            f"progress/{self._member.index}", json.dumps([self._begun, round(waited_s, 1), place])
        )
        if waited_s < self._timeout_s:
            return
        behind = self._behind()
        for index in behind.keys() - self._named:
            self._say(f"{waited_s:.0f} s for {behind[index]}")
            self._named.add(index)
        if behind and self._ends and waited_s >= 2 * self._timeout_s:
            self._say(
                f"{waited_s:.0f} s and ends now. Start all processes again; with the callback BackupAndRestore they go "
                "on where they were"
            )
            sys.stdout.flush()
            os._exit(_EXIT_CODE)  # the main thread waits in a program, and hears of no exception

    def _behind(self) -> dict[int, str]:
        """The processes that have begun fewer programs, and where they are."""
        found = {}
        for index in range(self._member.count):
            told = None if index == self._member.index else processes.glance(f"progress/{index}")
            begun, since_s, place = (self._begun, 0, "") if told is None else json.loads(told)
            if begun < self._begun:
                host = f" ({self._hosts[index]})" if index in self._hosts else ""
                found[index] = f"process {index}{host}, which has been in {place} for {since_s:.0f} s"
        return found

    def _say(self, text: str) -> None:
        sys.stderr.write(f"MultiWorkerMirroredStrategy: process {self._member.index} has waited {text}\n")
        sys.stderr.flush()


def _place(frame: FrameType | None) -> str:
    """The innermost line of the user's own code that a thread is at, if there is one."""
    innermost = frame
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    frame = frame or innermost
    if frame is None:
        return "no Python code"
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}, {frame.f_code.co_name}"
