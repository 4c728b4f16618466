"""Freed memory is kept for the next step, unless somebody has tuned the C library otherwise."""

import os
import platform
import subprocess
import sys

import pytest

PAGES_OF_A_ROUND = 24 * (3 << 20) // 4096  # below 4 MiB numpy asks for no huge pages
PROGRAM = """
import resource
import numpy as np
import tapeflow.engine.backend

for number in range(5):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(3 << 20, np.uint8) for _ in range(24)]
    del arrays
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""

# A step's temporary memory in one piece, as large as that of a deep network, on a thread of its own.
THREAD_PROGRAM = """
import ctypes
import resource
from concurrent.futures import ThreadPoolExecutor
import tapeflow.engine.backend

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]

def step():
    piece = libc.malloc(300 << 20)
    ctypes.memset(piece, 1, 300 << 20)
    libc.free(piece)

with ThreadPoolExecutor(1) as pool:
    for number in range(3):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        pool.submit(step).result()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults_of_the_last_round(program: str = PROGRAM, **environment: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_freed_memory_is_used_again() -> None:
    assert faults_of_the_last_round() < PAGES_OF_A_ROUND / 10


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_large_pieces_of_other_threads_are_used_again() -> None:
    assert faults_of_the_last_round(THREAD_PROGRAM) < (300 << 20) // 4096 / 10


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_a_threshold_of_the_users_own_holds() -> None:
    assert faults_of_the_last_round(MALLOC_TRIM_THRESHOLD_="131072") > PAGES_OF_A_ROUND / 2
