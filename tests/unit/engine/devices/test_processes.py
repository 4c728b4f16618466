"""What JAX's processes are told, as far as one process can tell."""

from __future__ import annotations

import os
import threading

import pytest

from tapeflow.engine.devices import processes


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the system lists no threads")
def test_threads_that_wait_for_a_free_core() -> None:
    begun, is_over = threading.Event(), threading.Event()

    def run() -> None:
        begun.set()
        is_over.wait()

    before = processes._threads()
    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    try:
        (number,) = processes._threads() - before
        assert number == thread.native_id
        processes._keep_patient({number, 2**22 + 1})  # of which one has ended
        assert os.sched_getscheduler(number) == os.SCHED_BATCH
        assert os.sched_getscheduler(0) == os.SCHED_OTHER
    finally:
        is_over.set()
        thread.join()
