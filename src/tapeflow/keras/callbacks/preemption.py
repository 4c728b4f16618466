"""`Preemption`: a `SIGTERM` as a wish to end soon, not at once."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

from tapeflow.engine.devices import placement, processes

_STATUS = 128 + signal.SIGTERM
_trainings = itertools.count()


class Preemption:
    """Notes the first `SIGTERM` between `begin` and `end`; the second one ends the process.

    A handler in Python runs when the main thread is back from what it computes or compiles, which may take minutes. So
    signals also arrive on a pipe, which a thread reads.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._before: Any = None
        self._pipe_before = -1
        self._pipe = -1
        self._thread: threading.Thread | None = None
        self._steps, self._key = 0, ""
        self._last_step: int | None = None

    def begin(self) -> None:
        """Listen. Only the main thread can; elsewhere `SIGTERM` does what it did before."""
        if self._thread is not None or threading.current_thread() is not threading.main_thread():
            return
        self.is_asked = False
        self._steps, self._last_step = 0, None
        self._key = f"preemption/{next(_trainings)}"
        reading, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        self._pipe_before = signal.set_wakeup_fd(self._pipe, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._read, args=(reading,), name="SIGTERM", daemon=True)
        self._thread.start()
        self._before = signal.signal(signal.SIGTERM, self._note)

    def end(self) -> None:
        """Let `SIGTERM` do what it did before, and do so now if one has come that nobody has answered.

        The error with which a training ends is shown first: the signal would end the process before anybody else could.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return
        signal.signal(signal.SIGTERM, signal.SIG_DFL if self._before is None else self._before)
        signal.set_wakeup_fd(self._pipe_before)
        os.close(self._pipe)
        thread.join()
        if self.is_asked:
            error = sys.exc_info()[1]
            if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and error is not None:
                with _whoever_listens():
                    traceback.print_exception(placement.worker_loss(error) or error)
            signal.raise_signal(signal.SIGTERM)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_asked = True

    def _read(self, pipe: int) -> None:
        """The thread's work: say that the first `SIGTERM` has come, end with the second; hand other signals on."""
        has_come = False
        while number := os.read(pipe, 1):
            if number[0] != signal.SIGTERM:
                with contextlib.suppress(OSError):
                    os.write(self._pipe_before, number)
                continue
            if has_come:
                os._exit(_STATUS)
            has_come = True
            with _whoever_listens():
                os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, _NOTE)
        os.close(pipe)

    def is_due(self, has_stepped: bool, wait: Callable[[], object]) -> bool:
        """Whether to save and end now; every process must ask at the same places.

        Of several processes, all end after the same step: the second after the one in which the first `SIGTERM` came.
        By then every process has seen it: a step ends nowhere before it has begun everywhere, so that nobody gets more
        than a step ahead.

        Args:
            has_stepped: whether steps have run since this was last asked.
            wait: waits until these have ended.
        """
        if processes.joined() is None:
            return self.is_asked
        if not has_stepped:
            return False
        wait()
        self._steps += 1
        if self._last_step is None:
            if self.is_asked:
                processes.tell_once(self._key, str(self._steps))
            found = processes.glance(self._key)
            self._last_step = None if found is None else int(found) + 1
        return self._last_step is not None and self._steps >= self._last_step

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
