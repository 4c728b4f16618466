"""A board's server, for as long as it is asked."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
"""What headless Chromium is started with."""


@contextlib.contextmanager
def server(*arguments: str, stdout: Any = subprocess.DEVNULL, **options: Any) -> Iterator[Any]:
    """A Python process with these arguments, ended at the end.

    A benchmark may run in the background, where an interrupt is ignored; so it is told to terminate, and killed if it
    does not.
    """
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=stdout, stderr=subprocess.DEVNULL, **options
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
