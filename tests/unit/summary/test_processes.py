"""Whether processes are running."""

from __future__ import annotations

import os
import subprocess
import sys

from tapeflow.summary.processes import is_alive


def test_this_process_runs_and_one_that_ended_does_not() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_alive(os.getpid())
    assert is_alive(1)  # somebody else's, perhaps
    assert not is_alive(ended.pid)


def test_what_cannot_be_known_counts_as_running() -> None:
    assert is_alive(1 << 70)
