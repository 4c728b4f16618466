"""One process of `tapeflow launch`: `python -m tapeflow.cli.worker PARENT SCRIPT ...`.

It ends with the process that has started it, even if that one is killed: nothing goes on that nobody sees.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from tapeflow.cli.main import main

_PR_SET_PDEATHSIG = 1


def _end_with(parent: int) -> None:
    """Have the kernel end this process with its parent. Only Linux can."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the kernel was told
        os._exit(128 + signal.SIGKILL)


if __name__ == "__main__":
    _end_with(int(sys.argv[1]))
    sys.exit(main(["run", *sys.argv[2:]]))
