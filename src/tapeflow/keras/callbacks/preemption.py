"""`Preemption`: a `SIGTERM` as a wish to end soon, not at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

_STATUS = 128 + signal.SIGTERM


class Preemption:
    """Notes the first `SIGTERM` between `begin` and `end`; the second one ends the process."""

    def __init__(self) -> None:
        self.is_asked = False
        self._before: Any = None
        self._is_listening = False

    def begin(self) -> None:
        """Listen. Only the main thread can; elsewhere `SIGTERM` does what it did before."""
        if self._is_listening or threading.current_thread() is not threading.main_thread():
            return
        self.is_asked = False
        self._before = signal.signal(signal.SIGTERM, self._note)
        self._is_listening = True

    def end(self) -> None:
        """Let `SIGTERM` do what it did before, and do so now if one has come that nobody has answered."""
        if self._is_listening:
            self._is_listening = False
            signal.signal(signal.SIGTERM, signal.SIG_DFL if self._before is None else self._before)
            if self.is_asked:
                signal.raise_signal(signal.SIGTERM)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked:
            os._exit(_STATUS)
        self.is_asked = True
        with _whoever_listens():
            os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, _NOTE)

    def leave(self, text: str) -> None:
        """End the program, saying why."""
        self.is_asked = False
        self.end()
        with _whoever_listens():
            sys.stderr.write(f"\nSIGTERM: {text}.\n")
            sys.stderr.flush()
        raise SystemExit(_STATUS)


def _whoever_listens() -> contextlib.suppress:
    """A terminal that is gone or closed is no reason not to save."""
    return contextlib.suppress(OSError, ValueError)


_NOTE = b"\nSIGTERM: saving the training after this step; a second one ends it at once.\n"
