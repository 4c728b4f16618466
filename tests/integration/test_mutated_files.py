"""Damaged and hostile files: an error that says so, or a model; never a crash, a hang or a file left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "programs" / "mutated_files.py"


def load_mutated(form: str, first: int, count: int, timeout_s: float) -> None:
    """In another process, since what is looked for might take this one with it."""
    command = [sys.executable, str(SCRIPT), form, str(first), str(count)]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"no end: {str(error.stdout)[-200:]}") from None
    assert found.stdout.endswith("done\n"), found.stdout[-200:] + found.stderr[-2000:]


def test_every_form() -> None:
    # Among these is an `.h5` file that makes the HDF5 library itself read for ever.
    load_mutated("all", 2960, 12, 120)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["keras", "h5", "weights", "safetensors", "checkpoint", "index", "data"])
@pytest.mark.parametrize("part", range(4))
def test_a_hundred_thousand(form: str, part: int) -> None:
    load_mutated(form, 10_000 + part * 5000, 5000, 3000)
