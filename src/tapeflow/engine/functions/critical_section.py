"""`tf.CriticalSection`: code that one thread at a time may run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

_shared: dict[str, threading.RLock] = {}


class CriticalSection:
    """Runs functions one after the other, whichever threads they come from.

    Args:
        name: its name.
        shared_name: sections of one name exclude each other.

    >>> section, total = tf.CriticalSection(), tf.Variable(0)
    >>> int(section.execute(lambda: total.assign_add(1)))
    1
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self.name = name or "critical_section"
        lock = threading.RLock()
        self._lock = lock if shared_name is None else _shared.setdefault(shared_name, lock)

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """Call `fn()` while no other function of this section runs, and return its result."""
        if not callable(fn):
            raise ValueError(f"CriticalSection.execute expected a function; got fn={fn!r}.")
        with self._lock:
            return fn()
