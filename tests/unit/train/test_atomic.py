"""Files that are replaced whole."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tapeflow.train.atomic import replacing


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


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="a user whom permissions bind")
def test_a_file_that_is_read_only_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="may not be written to"), replacing(path):
        pass
    assert path.read_text() == "old"
