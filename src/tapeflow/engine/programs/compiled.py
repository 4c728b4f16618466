"""Compiled functions, of which a process keeps a bounded number.

Every shape that a program meets is compiled by itself, and takes one to several megabytes and a dozen memory maps, of
which a process may have 65,530 on Linux. The code that was used longest ago goes first; if it is called again, JAX
compiles it again, to the same code.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from itertools import count
from typing import Any, TypeVar

from tapeflow.engine.devices import placement
from tapeflow.engine.programs.compiling import Compiling
from tapeflow.engine.programs.precompile import awaited, compile_ahead
from tapeflow.engine.programs.quick import jitted
from tapeflow.engine.settings import settings

T = TypeVar("T")

_clock = count(1)
_lock = threading.Lock()


class Compiled:
    """A function that is compiled when it is first called.

    Args:
        function: a pure function of arrays; all its calls have arguments of the same shapes.
        donated: which arguments the compiled function may overwrite.
        is_looped: whether what it computes is the body of one loop, whose turns its arguments tell.

    Attributes:
        used_at: when it was last called, as a number that grows from call to call; 0 if there is no code.
    """

    __slots__ = ("__weakref__", "_ahead", "_jit", "_jitted", "used_at")

    def __init__(
        self, function: Callable[..., Any], donated: tuple[int, ...] = (), is_looped: bool = False
    ) -> None:
        self._jit = partial(_jitted, function, donated, is_looped)
        self._jitted: dict[Any, Any] = {}  # by the devices that batches are split over
        self._ahead: Future[Any] | None = None
        self.used_at = 0

    def compile_ahead(self, arguments: list[Any]) -> None:
        """Begin to compile for arguments like these, on a thread of its own."""
        self._ahead = compile_ahead(self._jit, arguments)

    def function(self) -> Callable[..., Any]:
        """What is to be called, at once and once: the next call asks again."""
        if not self.used_at:
            _admit(self)
        self.touch()
        if self._ahead is not None:
            return awaited(self._ahead)
        return self._jitted.get(placement.batch_mesh(), self._first)

    def _first(self, *arguments: Any) -> Any:
        with Compiling():
            found = self._jitted[placement.batch_mesh()] = self._jit(*arguments)
            return found(*arguments)

    def touch(self) -> None:
        """Be the one that was used last."""
        self.used_at = next(_clock)

    def release(self) -> None:
        """Let go of the code."""
        for found in self._jitted.values():
            found.clear_cache()
        self._ahead = None
        self.used_at = 0
        _kept.discard(self)


def _jitted(function: Callable[..., Any], donated: tuple[int, ...], is_looped: bool, *arguments: Any) -> Any:
    """A function, compiled; kernels may compute otherwise where batches are split over devices."""
    if placement.batch_mesh() is None:
        return jitted(function, donated, is_looped, *arguments)
    # JAX looks a trace up by its function: this one has none yet.
    return jitted(partial(function), donated, is_looped, *arguments)


_kept: weakref.WeakSet[Compiled] = weakref.WeakSet()


def _admit(compiled: Compiled) -> None:
    """Count one more that has code, and make room for it."""
    with _lock:
        if len(_kept) >= settings.most_programs:
            for oldest in oldest_quarter(_kept, lambda found: found.used_at):
                oldest.release()
        _kept.add(compiled)


def oldest_quarter(found: Iterable[T], used_at: Callable[[T], int]) -> list[T]:
    """The quarter that was used longest ago: making room for one at a time would sort them all each time."""
    ordered = sorted(found, key=used_at)
    return ordered[: -(-len(ordered) // 4)]
