"""Temporary files: who removes them, and that a user's own files are never taken for one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapeflow.io.temporary import is_temporary, temporary_beside

_TOKEN = "0123456789ab"


@pytest.fixture(scope="module")
def gone() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_process_left_is_removed(gone: int, tmp_path: Path) -> None:
    busy = temporary_beside(tmp_path / "file")  # its writer lives
    left = tmp_path / busy.name.replace(f".{os.getpid()}-", f".{gone}-")
    other = tmp_path / left.name.replace(".file.", ".other.")
    for file in (left, other):
        file.touch()
    second = temporary_beside(tmp_path / "file")
    assert sorted(tmp_path.iterdir()) == sorted([busy, other, second])


def test_what_a_process_of_the_same_number_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f".file.{os.getpid()}-{_TOKEN}.{socket.gethostname()}.tmp"
    left.touch()
    os.utime(left, (1e9, 1e9))
    folder = tmp_path / left.name.replace("ab.", "cd.")
    folder.mkdir()
    (folder / "part").touch()
    os.utime(folder, (1e9, 1e9))
    first = temporary_beside(tmp_path / "file")
    second = temporary_beside(tmp_path / "file", is_folder=True)
    assert sorted(tmp_path.iterdir()) == sorted([first, second])


def test_what_another_machine_writes_is_left_alone_for_a_day(gone: int, tmp_path: Path) -> None:
    tokens = (_TOKEN, _TOKEN[::-1])
    busy, left = (tmp_path / f".file.{gone}-{t}.not-{socket.gethostname()}.tmp" for t in tokens)
    for file in (busy, left):
        file.touch()
    yesterday = time.time() - 25 * 3600
    os.utime(left, (yesterday, yesterday))
    new = temporary_beside(tmp_path / "file")
    assert sorted(tmp_path.iterdir()) == sorted([busy, new])


def test_files_of_the_users_are_not_taken_for_temporary_ones(gone: int, tmp_path: Path) -> None:
    names = [
        ".model.keras.2024-backup.tmp",
        f".model.keras.{gone}-notes.{socket.gethostname()}.tmp",
        f".model.keras.{gone}-{_TOKEN}.tmp",
        f"model.keras.{gone}-{_TOKEN}.{socket.gethostname()}.tmp",
        f".model.keras.{gone}-{_TOKEN}.{socket.gethostname()}.tmp.bak",
    ]
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1e9, 1e9))
        assert not is_temporary(name, "model.keras")
    new = temporary_beside(tmp_path / "model.keras")
    assert is_temporary(new.name, "model.keras")
    assert sorted(tmp_path.iterdir()) == sorted([*(tmp_path / name for name in names), new])
