"""Python's collector of cycles, which waits while a call is recorded and compiled.

Recording makes many objects, which Python takes as a sign of garbage. But they are needed, or go without the
collector, and to look through all that JAX has imported takes 0.06 s each time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


class _Pause:
    is_on = False


@contextmanager
def paused() -> Iterator[None]:
    """Let no cycles be collected inside, or until `resume`."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    _Pause.is_on = True
    try:
        yield
    finally:
        resume()


def resume() -> None:
    """Collect cycles again: what goes on may take long."""
    if _Pause.is_on:
        _Pause.is_on = False
        gc.enable()
