"""Event files cut back to where they were at a backup."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapeflow.keras.callbacks import tensor_board
from tapeflow.keras.callbacks.event_positions import cut_back, positions


def gone_process() -> int:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    return gone.pid


def test_later_events_and_later_files_go(tmp_path: Path) -> None:
    gone, other = gone_process(), gone_process()
    host, now = socket.gethostname(), int(time.time())

    def file(stamp: int, process: int, machine: str = host, number: int = 0) -> Path:
        return tmp_path / f"events.out.tfevents.{stamp:010d}.{machine}.{process}.{number}.v2"

    old = file(now - 100, gone)
    old.write_bytes(b"12345")
    saved = {**positions([tmp_path, tmp_path / "none"]), "process": f"{host}.{gone}"}
    old.write_bytes(b"1234567890")
    orphan = file(now + 5, gone, number=1)
    kept = [
        file(now + 5, os.getpid()),  # of a process that lives
        file(now + 5, gone, "elsewhere"),  # of another machine
        file(now + 5, other),  # of another training
        file(now - 50, gone, number=2),  # from before the backup
        tmp_path / "events.out.tfevents.notes",  # who knows
    ]
    own = file(now + 6, gone, number=3)
    for each in (orphan, own, *kept):
        each.write_bytes(b"abc")
    cut_back([tmp_path, tmp_path / "none"], saved, [str(own)])
    assert old.read_bytes() == b"12345"
    assert not orphan.exists()
    assert all(each.read_bytes() == b"abc" for each in (own, *kept))


def test_files_of_a_process_that_went_on_and_was_killed_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, now, gone = socket.gethostname(), int(time.time()), gone_process()
    folders = [tmp_path / "train", tmp_path / "validation"]
    saved = positions(folders)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: gone)
        cut_back(folders, saved, [])
    folders[1].mkdir()
    begun = [folder / f"events.out.tfevents.{now + 1:010d}.{host}.{gone}.0.v2" for folder in folders]
    for file in begun:
        file.write_bytes(b"abc")
    cut_back(folders, {**saved, "time": saved["time"] - 1}, [])  # another backup, which it did not go on from
    assert all(file.exists() for file in begun)
    cut_back(folders, saved, [])
    assert not any(file.exists() for file in begun)


def test_files_of_a_process_that_had_the_number_of_this_one_go(tmp_path: Path) -> None:
    """As in a container, where every process that is started has the same."""
    saved = positions([tmp_path])
    name = f"events.out.tfevents.{int(time.time()) + 1:010d}.{socket.gethostname()}.{os.getpid()}.%d.v2"
    left, lives = (tmp_path / (name % i) for i in range(2))
    for file in (left, lives):
        file.write_bytes(b"abc")
    os.utime(left, (1e9, 1e9))
    cut_back([tmp_path], saved, [])
    assert [file.exists() for file in (left, lives)] == [False, True]


def test_files_that_cannot_be_cut_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tensor_board, "cut_back", refused)
    tensor_board.TensorBoard(tmp_path).set_training_state({"train_step": 3, "files": {}})
    assert "could not take out what is logged again: [Errno 13] Permission denied" in caplog.text


def test_the_folder_may_have_moved(tmp_path: Path) -> None:
    before, after = tmp_path / "a" / "train", tmp_path / "b" / "train"
    before.mkdir(parents=True)
    name = "events.out.tfevents.0000000100.host.1.0.v2"
    (before / name).write_bytes(b"123")
    saved = positions([before])
    (before / name).write_bytes(b"12345")
    before.parent.rename(after.parent)
    cut_back([after], saved, [])
    assert (after / name).read_bytes() == b"123"
