"""Forked children: JAX's threads exist only in the parent, so a child would wait for its results forever.

`is_cut_off` is looked at wherever a program is run or compiled, or a result is waited for.
"""

from __future__ import annotations

import os
from typing import Any

is_cut_off = False
"""Whether this process was forked from one in which JAX had started."""

forks = 0
"""How often this process has been forked since this module was imported: threads from before are not in it."""


def cut_off() -> None:
    """Remember, in a child, that JAX had started in its parent."""
    global is_cut_off
    is_cut_off = True


def refusal(what: str) -> RuntimeError:
    """The error for computing something in such a child."""
    return RuntimeError(
        f"{what} expected a process that was not forked after computing; got process {os.getpid()}, "
        "forked from one that had computed before. "
        "The threads that compute are not in it, so this would wait for ever. Start processes with "
        'multiprocessing.get_context("spawn"), or fork before the first op. Values that were computed before the fork '
        "can be read, and numpy works."
    )


def check_ready(value: Any) -> None:
    """Refuse to wait for a result that the parent was still computing when it was forked."""
    if hasattr(value, "is_ready") and not value.is_ready():
        raise refusal("Reading a tensor that was being computed")


def check_threads(begun: int, what: str) -> None:
    """Refuse to wait for threads that were started when there had been `begun` forks."""
    if begun != forks:
        raise RuntimeError(
            f"{what} expected the process that began it; got process {os.getpid()}, forked since. The threads that "
            "read ahead are not in it, so this would wait for ever. Make the iterator after the fork."
        )


def _count() -> None:
    global forks
    forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count)
