"""Files open for reading."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tapeflow.train.open_file import OpenFile


def test_stays_readable_when_it_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"0123456789")
    file = OpenFile(path)
    path.unlink()
    assert file.size == 10
    assert file.bytes(2, 3) == b"234"
    file.close()
    file.close()  # again does nothing


def test_what_lies_behind_its_end(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"0123")
    file = OpenFile(path)
    with pytest.raises(EOFError, match="it ends too early"):
        file.bytes(2, 3)
    with pytest.raises(EOFError, match="it ends too early"):
        file.fill(memoryview(bytearray(5)), 0)


def test_pipes_devices_and_folders_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match="is not a regular file"):
            OpenFile(path)
