"""Files that are replaced whole."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tapeflow.train.atomic import replace_folder, replacing, temporary_beside


def test_the_new_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
        assert temporary.parent == path.parent
    assert path.read_text() == "new"
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with replacing(tmp_path / "file") as temporary:  # its writer lives
        temporary.write_text("new")
        busy = temporary
        left = tmp_path / busy.name.replace(f".{os.getpid()}-", f".{gone.pid}-")
        other = tmp_path / left.name.replace(".file.", ".other.")
        for file in (left, other):
            file.touch()
        with replacing(tmp_path / "file") as second:
            second.write_text("newer")
        assert sorted(tmp_path.iterdir()) == sorted([busy, other, tmp_path / "file"])


def test_what_a_process_of_the_same_number_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f".file.{os.getpid()}-0.{socket.gethostname()}.tmp"
    left.touch()
    os.utime(left, (1e9, 1e9))
    folder = tmp_path / left.name.replace("-0.", "-1.")
    folder.mkdir()
    (folder / "part").touch()
    os.utime(folder, (1e9, 1e9))
    with replacing(tmp_path / "file") as temporary:
        temporary.write_text("new")
        with replacing(tmp_path / "file") as second:
            second.write_text("newer")
        assert temporary.exists()
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_what_another_machine_writes_is_left_alone_for_a_day(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    busy, left = (tmp_path / f".file.{gone.pid}-{i}.not-{socket.gethostname()}.tmp" for i in range(2))
    for file in (busy, left):
        file.touch()
    yesterday = time.time() - 25 * 3600
    os.utime(left, (yesterday, yesterday))
    with replacing(tmp_path / "file") as temporary:
        temporary.write_text("new")
    assert sorted(tmp_path.iterdir()) == sorted([busy, tmp_path / "file"])


@pytest.mark.parametrize("at_once", [True, False])
def test_a_folder_takes_the_place_of_another(
    at_once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not at_once:
        monkeypatch.setattr(sys, "platform", "another")
    path = tmp_path / "folder"
    for text in ("old", "new"):
        temporary = temporary_beside(path, is_folder=True)
        (temporary / "file").write_text(text)
        replace_folder(temporary, path)
        assert (path / "file").read_text() == text
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "plain").touch()
    replace_folder(temporary_beside(tmp_path / "plain", is_folder=True), tmp_path / "plain")
    assert (tmp_path / "plain").is_dir()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with (
        pytest.raises((NotADirectoryError, FileExistsError)),
        replacing(tmp_path / "file" / "below") as temporary,
    ):
        temporary.write_text("new")
    assert (tmp_path / "file").read_text() == "old"


def test_a_large_file_is_replaced_and_let_go(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for byte in (b"a", b"b"):
        with replacing(path) as temporary:
            temporary.write_bytes(byte * (1 << 24))
    assert path.read_bytes()[:1] == b"b"
    for thread in threading.enumerate():
        if thread.name == "free":
            thread.join(10)
    if Path("/proc/self/fd").exists():
        assert not any(str(path) in os.readlink(f) for f in Path("/proc/self/fd").iterdir() if f.is_symlink())
