"""What a process prints, seen on its way to the terminal.

`sys.stdout` and `sys.stderr` stay the objects they are: their `write` is wrapped, so that loggers that were given
a stream before are seen, too. What libraries in C print past Python is not.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TextIO

from tapeflow.summary.captured.messages import ConsoleLine, Stream

MOST_LINE = 4000
"""Characters of a line."""
MOST_BYTES = 8 << 20
"""Of a run; what comes then is left out, and the log says so."""
_MOST_WAITING = 4 << 20  # characters
_MOST_LINES = 1000  # at a time
_PATIENCE_S = 10.0  # after which a line that has not ended is taken as it is: a progress bar, say
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_Listener = Callable[[Stream, str], None]


class _Tap:
    """The wrapped `write` of one stream."""

    def __init__(self, stream: TextIO, name: Stream) -> None:
        self.stream = stream
        self.listeners: list[_Listener] = []
        write = stream.write

        def tapped(text: Any, /) -> int:
            written = write(text)
            if type(text) is str:
                for listener in tuple(self.listeners):
                    listener(name, text)
            return written

        self.write = tapped
        stream.write = tapped  # type: ignore[method-assign]

    def remove(self) -> None:
        """Restore the stream, unless somebody else has wrapped it since: then it is passed through."""
        if getattr(self.stream, "__dict__", {}).get("write") is self.write:
            del self.stream.write


_taps: dict[int, _Tap] = {}


def listen(listener: _Listener) -> Callable[[], None]:
    """Have a function told what is printed from now on; what is returned ends that.

    It is called by the thread that prints, so it has to be quick, and must not print.
    """
    mine = []
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        tap = _taps.get(id(stream))
        if tap is None and stream is not None:
            try:
                tap = _taps[id(stream)] = _Tap(stream, name)
            except (AttributeError, TypeError):
                continue  # a stream of the user's own that cannot be wrapped
        if tap is not None and listener not in tap.listeners:
            tap.listeners.append(listener)
            mine.append(tap)

    def end() -> None:
        for tap in mine:
            if listener in tap.listeners:
                tap.listeners.remove(listener)
            if not tap.listeners and _taps.get(id(tap.stream)) is tap:
                tap.remove()
                del _taps[id(tap.stream)]

    return end


def _after_fork() -> None:
    for tap in _taps.values():
        tap.listeners.clear()  # the parent's


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Console:
    """The lines printed since `take` was last called; bounded, whatever is printed."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[float, Stream, str]] = deque()
        self._waiting = 0
        self._open: dict[Stream, tuple[float, str]] = {}
        self._left = MOST_BYTES
        self._end = listen(self._hear)

    def _hear(self, stream: Stream, text: str) -> None:
        if self._waiting < _MOST_WAITING:
            self._waiting += len(text) + 16
            self._pieces.append((time.time(), stream, text[:_MOST_WAITING]))
            if self._waiting >= _MOST_WAITING:
                self._pieces.append(
                    (time.time(), stream, "\n[too much was printed at once; some is left out]\n")
                )

    def close(self) -> None:
        """Listen no more; what was heard can still be taken."""
        self._end()

    def take(self, is_last: bool = False) -> list[ConsoleLine]:
        """The whole lines since the last time, and, if it is the last, what has no end."""
        found: list[ConsoleLine] = []
        self._waiting = 0
        for _ in range(len(self._pieces)):
            self._add(*self._pieces.popleft(), found)
        for stream, (began, text) in list(self._open.items()):
            if is_last or time.time() - began > _PATIENCE_S:
                del self._open[stream]
                if _shown(text):
                    found.append(ConsoleLine(began, stream, _shown(text)))
        return self._bounded(found)

    def _add(self, at: float, stream: Stream, text: str, found: list[ConsoleLine]) -> None:
        began, before = self._open.pop(stream, (at, ""))
        *whole, rest = (before + text).split("\n")
        found += [ConsoleLine(at, stream, _shown(line)) for line in whole]
        if rest:
            # Of a progress bar only the last state matters, and it may go on for ever.
            rest = rest.rsplit("\r", 1)[-1] or rest[-MOST_LINE:] if len(rest) > MOST_LINE else rest
            self._open[stream] = (at if whole else began, rest)

    def _bounded(self, lines: list[ConsoleLine]) -> list[ConsoleLine]:
        if not lines or self._left <= 0:
            return []
        if len(lines) > _MOST_LINES:
            half, count = _MOST_LINES // 2, len(lines) - _MOST_LINES
            note = ConsoleLine(lines[half].time, lines[half].stream, f"[{count} lines left out]")
            lines = [*lines[:half], note, *lines[-half:]]
        self._left -= sum(len(line.text) + 30 for line in lines)
        if self._left <= 0:
            text = f"[more than {MOST_BYTES >> 20} MB were printed; the rest is left out]"
            lines.append(ConsoleLine(lines[-1].time, lines[-1].stream, text))
        return lines


def _shown(line: str) -> str:
    """A line as a terminal shows it in the end: what was overwritten and what colours it is left out."""
    line = line.rstrip("\r").rsplit("\r", 1)[-1].replace("\b", "")
    return _ESCAPES.sub("", line)[:MOST_LINE]
