"""`SavingProgress`: a bar for files that take a while to write."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any

from tapeflow.keras.utils.messages import say
from tapeflow.keras.utils.progress import Progbar

_LARGE_BYTES = 1 << 28
_MB = 1 << 20
_is_quiet = ContextVar("_is_quiet", default=False)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Show nothing, for files that are written beside a bar of `fit`."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


class SavingProgress:
    """Shows how much of a large file is written; says nothing of a small one.

    Args:
        path: the file.
        total: how many bytes it will have.
    """

    def __init__(self, path: Path, total: int) -> None:
        self._path = path
        self._written = 0
        self._bar: Any = None
        if total >= _LARGE_BYTES and not _is_quiet.get():
            self._bar = Progbar(max(1, total // _MB), unit_name="MB")

    def __enter__(self) -> SavingProgress:
        if self._bar is not None:
            say(f"Saving {self._path}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None and kind is None:
            self._bar.update(self._bar.target, finalize=True)

    def add(self, count: int) -> None:
        """So many bytes more are written."""
        self._written += count
        if self._bar is not None:
            self._bar.update(min(self._written // _MB, self._bar.target), finalize=False)
