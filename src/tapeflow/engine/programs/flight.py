"""Programs in flight: dispatched, with results that nobody has been given yet.

Between the dispatch of a program and the moment its results are bound, the buffers it was allowed to
overwrite are gone and the new ones belong to no Variable. A KeyboardInterrupt may fall there. So the
flight is noted first, dispatch and the storing of its results are one C call, and whoever comes next
into the engine finishes what was begun.
"""

from __future__ import annotations

import os
import threading
from itertools import starmap
from typing import Any

from tapeflow.engine.devices import placement, processes
from tapeflow.engine.programs import phases

RUN_LOCK = threading.RLock()
"""Held while a program is dispatched and its results are bound: one program at a time."""

flights: list[Flight] = []


class Flight:
    """One dispatch. `land` gives out the results; it may be called again after an interrupt.

    It is noted from the start, before anybody looks at who holds the buffers it may overwrite: a thread
    that wants one of them waits.
    """

    def __init__(self) -> None:
        self.landed: list[Any] = []
        self.thread = threading.get_ident()
        flights.append(self)

    def take_off(self, function: Any, arguments: list[Any]) -> None:
        """Dispatch, and land if the dispatch succeeded."""
        log = phases.log
        if placement.is_shared():
            processes.note_begun()
        try:
            if log is None:
                self.landed.extend(starmap(function, [arguments]))
            else:
                with phases.Dispatching(log, self):
                    self.landed.extend(starmap(function, [arguments]))
        finally:
            if self.landed:
                self.land()
            _forget(self)

    def land(self) -> None:
        """Bind the results in `self.landed[0]`."""
        raise NotImplementedError

    def describe(self) -> str:
        """What it runs, in words: for a profile."""
        return "a program"


def land_flights() -> None:
    """Finish what an interrupt has left in the air; another thread's flight is its own affair."""
    mine = [f for f in flights if f.thread == threading.get_ident()]
    if not mine:
        return
    with RUN_LOCK:
        for flight in mine:
            if flight.landed:
                flight.land()
            _forget(flight)


def await_flights() -> None:
    """Wait until no flight is in the air: a Variable's buffer may be about to be overwritten."""
    with RUN_LOCK:
        land_flights()


def _forget(flight: Flight) -> None:
    if flight in flights:  # a kernel that enters the engine while it is compiled may have tidied up
        flights.remove(flight)


def _after_fork() -> None:
    """In a child: what other threads of the parent were at is theirs, and so is the lock they may have held."""
    RUN_LOCK._at_fork_reinit()  # pyright: ignore[reportAttributeAccessIssue]
    flights.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
