from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from tapeflow.board import file_lock
from tapeflow.board.file_lock import locked


def test_one_holds_it_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with (
        locked(path, 0),
        pytest.raises(TimeoutError, match="another process holds the lock"),
        locked(path, time.monotonic() + 0.03),
    ):
        pass
    with locked(path, 0):
        pass


def test_a_file_system_without_locks_goes_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(file_lock.fcntl, "flock", flock)
    with locked(str(tmp_path / "lock"), 0):
        assert os.path.exists(tmp_path / "lock")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"), locked(str(tmp_path / "lock"), 0):
        pass
    assert not (tmp_path / "elsewhere").exists()
