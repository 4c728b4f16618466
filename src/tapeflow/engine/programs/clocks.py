"""Clocks: how a thread spends its time, in phases. `phases` says what they are of."""

from __future__ import annotations

import time
import weakref
from collections import deque
from typing import Any

PHASES: tuple[str, ...] = ("input", "compile", "dispatch", "device", "callbacks", "host")
"""`host` is the rest: the user's Python, and recording ops."""

_OWNING = ("input", "callbacks")
_FLIGHTS = 64


class Clock:
    """How one thread spends its time, in nanoseconds by phase.

    Phases may lie within one another, and a moment counts once: programs that are run to make input are input, and
    what a callback does is the callback's; otherwise the innermost phase counts.
    """

    def __init__(self) -> None:
        self.spent = dict.fromkeys(PHASES, 0)
        self.flights: deque[list[weakref.ref[Any]]] = deque(maxlen=_FLIGHTS)
        self.flight: Any = None
        self.compile_parts = [0, 0]  # tracing and lowering of the program that is being compiled
        self.step: Any = None
        self.waited = 0  # for input, since the last step or the last other thing that was done
        self._at_begin: dict[str, int] = {}
        self._inside = ["host"]
        self._since = time.perf_counter_ns()

    def tick(self) -> None:
        """Count the time up to now."""
        now = time.perf_counter_ns()
        phase = self._inside[-1]
        self.spent[phase] += now - self._since
        if phase == "input" and self.step is None:
            self.waited += now - self._since
        self._since = now

    def enter(self, phase: str) -> None:
        """A phase begins."""
        self.tick()
        outer = self._inside[-1]
        self._inside.append(outer if outer in _OWNING else phase)
        if self.step is None and self._inside[-1] != "input":
            self.waited = 0

    def leave(self) -> None:
        """The innermost phase ends."""
        self.tick()
        self._inside.pop()

    def move(self, nanoseconds: int, phase: str) -> None:
        """That much of the present phase was really another."""
        self.tick()
        now = self._inside[-1]
        if now not in _OWNING:
            moved = min(nanoseconds, self.spent[now])
            self.spent[now] -= moved
            self.spent[phase] += moved

    def begin(self, step: Any) -> None:
        """A step begins; what was just waited for its input belongs to it."""
        self.tick()
        self.step, self._at_begin = step, dict(self.spent)

    def end(self) -> dict[str, int]:
        """The step ends: its time by phase."""
        self.tick()
        found = {phase: max(0, self.spent[phase] - self._at_begin[phase]) for phase in PHASES}
        found["input"] += self.waited
        self.step, self.waited = None, 0
        return found


class During:
    """Be in a phase."""

    __slots__ = ("_clock", "_phase")

    def __init__(self, clock: Clock, phase: str) -> None:
        self._clock, self._phase = clock, phase

    def __enter__(self) -> None:
        self._clock.enter(self._phase)

    def __exit__(self, *_: object) -> None:
        self._clock.leave()
