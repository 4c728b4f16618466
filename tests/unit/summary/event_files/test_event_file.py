from __future__ import annotations

import errno
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tapeflow import summary
from tapeflow.summary.event_files import event_file, record_file


def test_an_unwritable_path_is_said_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level(logging.ERROR):
        writer = summary.create_file_writer(tmp_path / "file" / "run")
        for i in range(10):
            writer.add("x", 1.0, i)
            writer.flush()
        writer.close()
    first, last = [r.message for r in caplog.records]
    assert "event files could not be written: Not a directory" in first
    assert "file/run" in first
    assert "10 summaries could not be written and are lost" in last


def test_an_unwritable_path_raises_if_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="tf.summary could not write to .*file/run.*Not a directory"):
        summary.create_file_writer(tmp_path / "file" / "run", on_error="raise")


def test_what_could_not_be_written_is_written_once_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    writer = summary.create_file_writer(tmp_path / "file" / "run")
    writer.add("x", 1.0, 1)
    writer.flush()
    (tmp_path / "file").unlink()
    writer.add("x", 2.0, 2)
    writer.close()
    assert summary.read(tmp_path / "file" / "run")["x"].values.tolist() == [1.0, 2.0]


def test_a_removed_folder_is_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = summary.create_file_writer(tmp_path / "run")
    with caplog.at_level(logging.ERROR):
        for i in range(3):
            writer.add("x", 1.0, i)
            writer.flush()
            shutil.rmtree(tmp_path / "run")
        writer.add("x", 1.0, 3)
        writer.close()
    assert summary.read(tmp_path / "run")["x"].steps.tolist() == [3]
    (said,) = [r.message for r in caplog.records]
    assert "has been removed; writing goes on in a new file" in said


def test_a_write_that_fails_half_way_leaves_no_half_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    writer = summary.create_file_writer(tmp_path)
    writer.add("x", 0.0, 0)
    writer.flush()
    real, room = os.write, [70]

    def write(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = real(descriptor, data[: room[0]])
        room[0] -= count
        return count

    with monkeypatch.context() as patch:
        patch.setattr(event_file.os, "write", write)
        for i in range(1, 5):
            writer.add("x", float(i), i)
        writer.flush()
        found = summary.Run(str(tmp_path))
        found.refresh()
        assert found["x"].steps.tolist() == [0]
        assert found.lost_bytes == 0
    writer.add("x", 5.0, 5)
    writer.close()
    found = summary.read(tmp_path)
    np.testing.assert_array_equal(found["x"].values, np.arange(6))
    assert found.lost_bytes == 0
    assert sum("No space left on device" in r.message for r in caplog.records) == 1


def test_a_real_limit_on_the_size_of_files(tmp_path: Path) -> None:
    code = (
        "import resource, sys\nfrom tapeflow import summary\n"
        "w = summary.create_file_writer(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))\n"
        "for i in range(1000):\n"
        "    w.add('x', float(i), i)\n"
        "    if i % 100 == 0: w.flush()\n"
        "w.flush()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "w.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("could not be written: File too large") == 1
    run = summary.read(tmp_path)
    np.testing.assert_array_equal(run["x"].values, np.arange(1000))
    assert run.lost_bytes == 0


def test_what_is_kept_for_a_full_disk_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(record_file, "_MOST_KEPT", 1000)
    (tmp_path / "file").write_text("in the way")
    writer = summary.create_file_writer(tmp_path / "file" / "run")
    for i in range(100):
        writer.add("x", 1.0, i)
        writer.flush()
    assert writer._file._backlog_size < 1200
    writer.close()
    assert "100 summaries could not be written and are lost" in caplog.records[-1].message


def test_on_error_raise_raises_at_the_next_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = summary.create_file_writer(tmp_path, on_error="raise")
    writer.add("x", 0.0, 0)

    def write(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(event_file.os, "write", write)
    with pytest.raises(OSError, match="could not write to .*No space left on device"):
        writer.flush()
    monkeypatch.undo()
    writer.add("x", 1.0, 1)
    writer.close()
    assert len(summary.read(tmp_path)["x"]) == 2
