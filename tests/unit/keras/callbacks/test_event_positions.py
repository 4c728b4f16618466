"""Event files cut back to where they were at a backup."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapeflow.keras.callbacks import event_positions, tensor_board
from tapeflow.keras.callbacks.event_positions import EventPositions
from tapeflow.summary.files import FileWriter
from tapeflow.train.background import CommitWriter


def gone_process() -> int:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    return gone.pid


def log(folder: Path, process: int = 1, machine: str = "elsewhere", number: int = 0) -> Path:
    return folder / f"events.out.tfevents.0000000100.{machine}.{process}.{number}.v2"


def test_later_events_and_later_files_go(tmp_path: Path) -> None:
    gone, here = gone_process(), socket.gethostname()
    interrupted = EventPositions([tmp_path, tmp_path / "none"])
    old = log(tmp_path)
    old.write_bytes(b"12345")
    saved = interrupted.state()
    old.write_bytes(b"1234567890")
    left = [log(tmp_path, gone, here), log(tmp_path, 7), log(tmp_path, os.getpid(), here)]
    in_use = log(tmp_path, os.getppid(), here)
    others = [log(tmp_path, gone, here, number=2), tmp_path / "events.out.tfevents.notes"]
    for each in (*left, in_use):
        interrupted.note(str(each))
    EventPositions([tmp_path]).note(str(others[0]))  # of a training that nobody can resume
    for each in (*left, in_use, *others):
        each.write_bytes(b"abc")
    resumed = EventPositions([tmp_path, tmp_path / "none"])
    assert resumed.restore(saved)
    assert old.read_bytes() == b"12345"
    assert not any(each.exists() for each in left)
    assert all(each.read_bytes() == b"abc" for each in (in_use, *others))


def test_files_of_a_training_that_was_resumed_and_interrupted_again_go(tmp_path: Path) -> None:
    folders = [tmp_path / "train", tmp_path / "validation"]
    saved = EventPositions(folders).state()
    resumed = EventPositions(folders)
    resumed.restore(saved)
    writers = [FileWriter(str(folder), on_new_file=resumed.note) for folder in folders]
    files = [Path(str(writer.path)) for writer in writers]
    EventPositions(folders).restore(EventPositions(folders).state())  # another training
    EventPositions(folders).restore(saved)
    assert all(file.exists() for file in files)  # they are open
    for writer in writers:
        writer.close()
    EventPositions(folders).restore(saved)
    assert not any(file.exists() for file in files)


def test_a_backup_waits_until_event_files_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []

    def late(path: Path) -> None:
        time.sleep(0.05)
        if path.parent == tmp_path:  # threads of earlier tests may still be writing
            synced.append(path)

    monkeypatch.setattr(event_positions, "sync", late)
    log(tmp_path).write_bytes(b"123")
    positions, commit = EventPositions([tmp_path]), CommitWriter("backup")
    seen: list[int] = []
    for _ in range(2):  # what has not grown is on disk already
        positions.state()
        commit.run(lambda: seen.append(len(synced)))
    log(tmp_path).write_bytes(b"12345")
    positions.state()
    commit.run(lambda: seen.append(len(synced)))
    assert seen == [1, 1, 2]


def test_nothing_is_noted_unless_somebody_may_resume(tmp_path: Path) -> None:
    EventPositions([tmp_path / "train"]).note(str(log(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_cut_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "train").mkdir()
    log(tmp_path / "train").write_bytes(b"123")
    board = tensor_board.TensorBoard(tmp_path)
    state = board.get_training_state()
    log(tmp_path / "train").write_bytes(b"12345")
    monkeypatch.setattr(os, "truncate", refused)
    board.set_training_state(state)
    assert "could not take out what is logged again: [Errno 13] Permission denied" in caplog.text


def test_whether_the_files_are_still_there(tmp_path: Path) -> None:
    log(tmp_path).touch()
    saved = EventPositions([tmp_path]).state()
    assert EventPositions([tmp_path]).restore(saved)
    log(tmp_path).unlink()
    assert not EventPositions([tmp_path]).restore(saved)


def test_the_folder_may_have_moved(tmp_path: Path) -> None:
    before, after = tmp_path / "a" / "train", tmp_path / "b" / "train"
    before.mkdir(parents=True)
    log(before).write_bytes(b"123")
    saved = EventPositions([before]).state()
    log(before).write_bytes(b"12345")
    before.parent.rename(after.parent)
    EventPositions([after]).restore(saved)
    assert log(after).read_bytes() == b"123"
