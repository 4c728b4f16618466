"""Keeps memory that one step frees, and the next step needs again, in the process.

A program takes its temporary memory from the C library's heap and gives it back when it ends. glibc returns what is
free at the heap's end to the system at once, and the next step pays for every page anew: a third of a small CNN's step.

The program runs on a thread of XLA's, and glibc gives threads arenas of their own, whose pieces are 64 MiB at most:
what is larger would be mapped, and paid for anew, at every step. So all threads share the main arena.
"""

from __future__ import annotations

import ctypes
import os
import sys

# M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX of <malloc.h>.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_KEPT_BYTES = 1 << 30
_MAPPED_BYTES = 1 << 30  # larger pieces are maps of their own, and go back when they are freed
_CHOICES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_ARENA_MAX", "GLIBC_TUNABLES")


def keep_freed_memory() -> None:
    """Have glibc keep up to a GiB of freed memory; a user who has tuned it, and other C libraries, are left alone."""
    if not sys.platform.startswith("linux") or any(name in os.environ for name in _CHOICES):
        return
    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if choose is not None:
        choose(_MMAP_THRESHOLD, _MAPPED_BYTES)
        choose(_TRIM_THRESHOLD, _KEPT_BYTES)
        choose(_ARENA_MAX, 1)
