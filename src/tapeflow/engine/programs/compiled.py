"""Compiled functions, of which a process keeps a bounded number.

Every shape that a program meets is compiled by itself, and takes one to several megabytes and a dozen memory maps, of
which a process may have 65,530 on Linux. The code that was used longest ago goes first; if it is called again, JAX
compiles it again, to the same code.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from enum import Enum
from functools import partial
from itertools import count
from typing import Any, TypeVar

from tapeflow.engine.devices import placement
from tapeflow.engine.programs.compiling import Compiling
from tapeflow.engine.programs.precompile import awaited, compile_ahead
from tapeflow.engine.programs.quick import jitted
from tapeflow.engine.settings import settings

T = TypeVar("T")


class Draft(Enum):
    """Whether a call may run a draft: code that is compiled in half the time and may run longer."""

    NONE = 0
    FIRST = 1
    LAST = 2
    """It may, but full code will be called for soon, and is compiled in the meantime."""


_clock = count(1)
_lock = threading.Lock()


class _Code:
    """A function's machine code, once it is called or compiled ahead.

    Args:
        jit: given arguments, makes a `jax.jit` for such arguments, and says whether it is as good as any.
    """

    __slots__ = ("_ahead", "_jit", "_jitted", "is_full")

    def __init__(self, jit: Callable[[Sequence[Any]], tuple[Any, bool]]) -> None:
        self._jit = jit
        self._jitted: dict[Any, Any] = {}  # by the devices that batches are split over
        self._ahead: Future[Any] | None = None
        self.is_full = False

    @property
    def is_begun(self) -> bool:
        """Whether it is compiled, or being compiled ahead."""
        return bool(self._jitted) or self._ahead is not None

    def compile_ahead(self, arguments: list[Any]) -> None:
        self._ahead = compile_ahead(self._made, arguments)

    def function(self) -> Callable[..., Any]:
        if self._ahead is not None:
            return awaited(self._ahead)
        return self._jitted.get(placement.batch_mesh(), self._first)

    def _first(self, *arguments: Any) -> Any:
        with Compiling():
            found = self._jitted[placement.batch_mesh()] = self._made(*arguments)
            return found(*arguments)

    def _made(self, *arguments: Any) -> Any:
        found, self.is_full = self._jit(arguments)
        return found

    def release(self) -> None:
        for found in self._jitted.values():
            found.clear_cache()
        self._jitted, self._ahead, self.is_full = {}, None, False


class Compiled:
    """A function that is compiled when it is first called.

    Args:
        function: a pure function of arrays; all its calls have arguments of the same shapes.
        donated: which arguments the compiled function may overwrite.
        is_looped: whether what it computes is the body of one loop, whose turns its arguments tell.

    Attributes:
        used_at: when it was last called, as a number that grows from call to call; 0 if there is no code.
    """

    __slots__ = ("__weakref__", "_draft", "_full", "used_at")

    def __init__(
        self, function: Callable[..., Any], donated: tuple[int, ...] = (), is_looped: bool = False
    ) -> None:
        self._full = _Code(partial(_jitted, function, donated, is_looped))
        self._draft = _Code(partial(_jitted, function, donated, is_looped, is_draft=True))
        self.used_at = 0

    def compile_ahead(self, arguments: list[Any], is_draft: bool = False) -> None:
        """Begin to compile for arguments like these, on a thread of its own."""
        (self._draft if is_draft else self._full).compile_ahead(arguments)

    def function(self, draft: Draft = Draft.NONE) -> Callable[..., Any]:
        """What is to be called, at once and once: the next call asks again.

        Args:
            draft: whether a draft will do.
        """
        if not self.used_at:
            _admit(self)
        self.touch()
        if self._draft.is_full:
            return self._draft.function()
        if draft is Draft.NONE:
            return self._full.function()
        if draft is Draft.LAST and not self._full.is_begun:
            return self._call_last_draft
        return self._draft.function()

    def _call_last_draft(self, *arguments: Any) -> Any:
        self._full.compile_ahead(list(arguments))
        return self._draft.function()(*arguments)

    def touch(self) -> None:
        """Be the one that was used last."""
        self.used_at = next(_clock)

    def release(self) -> None:
        """Let go of the code."""
        self._full.release()
        self._draft.release()
        self.used_at = 0
        _kept.discard(self)


def _jitted(
    function: Callable[..., Any],
    donated: tuple[int, ...],
    is_looped: bool,
    arguments: Sequence[Any],
    is_draft: bool = False,
) -> tuple[Any, bool]:
    """What `jitted` gives; kernels may compute otherwise where batches are split over devices."""
    if placement.batch_mesh() is not None:
        function = partial(function)  # JAX looks a trace up by its function: this one has none yet
    return jitted(function, donated, is_looped, arguments, is_draft)


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
