"""Whether processes are running."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil
import pytest

from tapeflow.summary.processes import is_alive


def test_this_process_runs_and_one_that_ended_does_not() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_alive(os.getpid())
    assert is_alive(1)  # somebody else's, perhaps
    assert not is_alive(ended.pid)


def test_what_cannot_be_known_counts_as_running() -> None:
    assert is_alive(1 << 70)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_a_process_whose_end_nobody_has_noted_is_not_alive() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    assert is_alive(process.pid)
    process.kill()
    limit = time.monotonic() + 10
    while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < limit:
        time.sleep(0.01)
    assert not is_alive(process.pid)
    process.wait()
