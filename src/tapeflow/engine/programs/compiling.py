"""Says that a program is being compiled, to whoever shows progress, once it takes long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_FIRST_S = 2.0
_EVERY_S = 1.0

Tell = Callable[[float], None]
"""Called with the seconds that a compilation has taken so far, from a thread of its own."""


class _Here(threading.local):
    tell: Tell | None = None


_here = _Here()


class Announced:
    """While it is entered, long compilations of this thread are announced.

    Args:
        tell: called after two seconds of a compilation, and every second from then on.
    """

    __slots__ = ("_before", "_tell")

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._before: Tell | None = None

    def __enter__(self) -> None:
        self._before, _here.tell = _here.tell, self._tell

    def __exit__(self, *_: object) -> None:
        _here.tell = self._before


class Compiling:
    """Compiles, or waits for what another thread compiles."""

    __slots__ = ("_is_done", "_thread")

    def __init__(self) -> None:
        self._is_done = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        if _here.tell is not None:
            self._thread = threading.Thread(
                target=_announce, args=(_here.tell, self._is_done), name="tapeflow-compiling", daemon=True
            )
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        if self._thread is not None:
            self._thread.join()  # what it says must not come after what follows


def _announce(tell: Tell, is_done: threading.Event) -> None:
    began = time.monotonic()
    wait_s = _FIRST_S
    while not is_done.wait(wait_s):
        tell(time.monotonic() - began)
        wait_s = _EVERY_S
