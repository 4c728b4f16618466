"""Programs run in a process of their own: what `install` does to Python's imports must not reach other tests."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import tapeflow


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str], str]:
    """`run(code)`: what a program prints after `tapeflow.compat.install()`."""

    def run(code: str, installed: bool = True) -> str:
        start = "import tapeflow.compat\ntapeflow.compat.install()\n" if installed else ""
        program = start + textwrap.dedent(code)
        environment = {**os.environ, "PYTHONPATH": str(Path(tapeflow.__file__).parents[1])}
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
