"""The record of steps: written while the profile goes on, whatever happens to the disk or the process."""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapeflow.engine.programs.phases import Log
from tapeflow.profiler.recording import Recording, resident_bytes
from tapeflow.summary.profile import read, read_record


def test_rows_are_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "host.steps.jsonl"
    recording = Recording(str(path), "cpu")
    recording.start(Log(recording.add))
    recording.add({"kind": "mine", "name": "ein Schritt ä"})
    recording.close()
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [row["kind"] for row in rows] == ["profile", "mine", "memory", "end"]
    assert rows[0]["device"] == "cpu"
    assert rows[2]["rss_bytes"] > 0


def test_a_full_disk_is_said_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording(str(tmp_path / "host.steps.jsonl"), "cpu")

    class Full:
        name = "host.steps.jsonl"

        def write(self, _: str) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(recording, "_file", Full())
    recording.start(Log(recording.add))
    recording._write()
    recording.close()
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert "ends here: [Errno 28] No space left on device" in said[0]


_KILLED = """
import sys, time
import tapeflow as tf
tf.profiler.experimental.start(sys.argv[1])
for step in range(5):
    with tf.profiler.experimental.Trace("train", step_num=step):
        float(tf.reduce_sum(tf.ones((3, 3)) @ tf.ones((3, 3))))
time.sleep(0.5)
print("ready", flush=True)
time.sleep(60)
"""


def test_a_killed_process_leaves_its_steps(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED, str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
    profile = read(tmp_path)
    assert [step.number for step in profile.steps] == list(range(5))
    assert any("the profile was not stopped" in damage for damage in profile.damages)
    assert profile.verdict.kind != "unknown"


def test_memory_is_known() -> None:
    before, size = resident_bytes(), 64 << 20
    with mmap.mmap(-1, size) as block:  # not from the heap, which keeps what was freed
        block.write(b"x" * size)
        assert resident_bytes() - before > size // 2


def test_the_writer_goes_on_while_nobody_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "host.steps.jsonl"
    recording = Recording(str(path), "cpu")
    recording.start(Log(recording.add))
    recording.add({"kind": "mine"})
    deadline = time.monotonic() + 30
    while "mine" not in path.read_text("utf-8") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "mine" in path.read_text("utf-8")
    recording.close()
    assert read_record(path).about["version"] == 1
