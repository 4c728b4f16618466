"""What loading a file may cost, in proportion to the size of the file.

A few bytes can stand for gigabytes: compressed zeros, a declared shape, `units=10**9` in a config, a layer that is
copied again and again. A limit for each of them is none for all of them together, so one budget holds for a whole
load: whatever takes memory because a file says so is spent from it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

# An honest file holds what a model needs; compressed, and without the state of metrics, it is somewhat smaller.
_MAX_EXPANSION = 100
_FREE_BYTES = 1 << 26
# A text becomes objects, which take many times its bytes.
_MAX_TEXT_EXPANSION = 10
_FREE_TEXT_BYTES = 1 << 20
_OBJECT_BYTES = 20
# About what a layer without weights takes.
_LAYER_BYTES = 1 << 13


class LoadBudget:
    """What is left of what a file may cost.

    Args:
        path: the file or folder that is loaded.
        is_trusted: whether there is no limit.
    """

    def __init__(self, path: Path, is_trusted: bool = False) -> None:
        self.path = path
        self._is_trusted = is_trusted
        self.file_bytes = _size(path)
        self._left = max(_FREE_BYTES, _MAX_EXPANSION * self.file_bytes)

    def spend(self, count: int, what: str) -> None:
        """Take bytes from the budget.

        Raises:
            ValueError: there are not so many left.
        """
        if self._is_trusted:
            return
        if count > self._left:
            raise ValueError(
                f"Loading {str(self.path)!r} expected what its {self.file_bytes} bytes can hold; got {what}, which "
                f"takes {count} bytes where {self._left} are left. The file is damaged or was made to exhaust memory. "
                "If you trust who wrote it, load the model with safe_mode=False."
            )
        self._left -= count

    def spend_text(self, count: int, what: str) -> None:
        """Take from the budget what the objects in a config or a list of terms cost, which has so many bytes.

        Raises:
            ValueError: it is too long for a file of this size, or there is not so much left.
        """
        limit = max(_FREE_TEXT_BYTES, _MAX_TEXT_EXPANSION * self.file_bytes)
        if count > limit and not self._is_trusted:
            raise ValueError(
                f"Loading {str(self.path)!r} expected {what!r} of at most {limit} bytes in a file of "
                f"{self.file_bytes}; got {count} bytes. The file is damaged or was made to exhaust memory. If you "
                "trust who wrote it, load the model with safe_mode=False."
            )
        self.spend(count * _OBJECT_BYTES, f"what is in {what!r}")


class _Current(threading.local):
    budget: LoadBudget | None = None


_current = _Current()


@contextlib.contextmanager
def load_budget(path: Path, is_trusted: bool = False) -> Iterator[LoadBudget]:
    """The budget of a load; one inside another spends from the outer budget."""
    outer = _current.budget
    budget = outer or LoadBudget(path, is_trusted)
    _current.budget = budget
    try:
        yield budget
    finally:
        _current.budget = outer


def spend(count: int, what: str) -> None:
    """Take bytes from the budget of the load that is running, if there is one."""
    if _current.budget is not None:
        _current.budget.spend(count, what)


def spend_layer(name: str) -> None:
    """Take what a layer costs from the budget of the load that is running, if there is one."""
    if _current.budget is not None:
        _current.budget.spend(_LAYER_BYTES, f"one layer more, {name!r}")


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(
            part.lstat().st_size for part in path.rglob("*") if part.is_file() and not part.is_symlink()
        )
    return path.stat().st_size
