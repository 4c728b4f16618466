"""Event files in object stores and over SFTP."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import fsspec
import pytest

from tapeflow import summary
from tapeflow.summary.event_files import remote_event_file
from tapeflow.summary.files import FileWriter


def fetched(files: Any, path: str, to: Path) -> summary.Run:
    """A run elsewhere, copied here and read."""
    to.mkdir(exist_ok=True)
    for name in files.find(path):
        (to / name.rpartition("/")[2]).write_bytes(files.cat_file(name))
    return summary.read(to)


def test_what_is_flushed_is_in_s3(s3: str, s3_files: Any, tmp_path: Path) -> None:
    writer = summary.create_file_writer(f"{s3}/run/")
    with writer.as_default():
        summary.scalar("loss", 0.5, step=1)
        writer.flush()
        assert fetched(s3_files, f"{s3}/run", tmp_path / "a")["loss"].values.tolist() == [0.5]
        summary.scalar("loss", 0.25, step=2)
        summary.text("note", "a word", step=2)
    writer.close()
    run = fetched(s3_files, f"{s3}/run", tmp_path / "a")
    assert run["loss"].values.tolist() == [0.5, 0.25]
    assert run["note"].steps.tolist() == [2]
    assert len(run.files) == 1
    assert isinstance(writer, FileWriter)
    assert writer.logdir == f"{s3}/run"
    assert f"s3://{s3_files.find(f'{s3}/run')[0]}" == writer.path


def test_a_file_is_left_for_a_new_one_before_it_is_large(
    s3: str, s3_files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_event_file, "PART_BYTES", 1000)
    writer = summary.create_file_writer(f"{s3}/run")
    for step in range(40):
        writer.add("loss", float(step), step)
        if step % 5 == 4:
            writer.flush()
    writer.close()
    assert 2 <= len(s3_files.find(f"{s3}/run")) <= 6
    assert max(found["size"] for found in s3_files.find(f"{s3}/run", detail=True).values()) < 1500
    run = fetched(s3_files, f"{s3}/run", tmp_path / "a")
    assert sorted(run["loss"].values.tolist()) == list(range(40))
    assert not run.damages


def test_a_bucket_that_is_not_there_stops_nothing(s3: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        writer = summary.create_file_writer(f"{s3}-missing/run")
        writer.add("loss", 1.0, 1)
        writer.close()
    first, last = [r.message for r in caplog.records]
    assert "event files could not be written: The specified bucket does not exist" in first
    assert "1 summaries could not be written and are lost" in last


def test_what_could_not_be_sent_is_sent_once_it_can(s3: str, s3_files: Any, tmp_path: Path) -> None:
    writer = summary.create_file_writer(f"{s3}-late/run")
    writer.add("loss", 1.0, 1)
    writer.flush()
    s3_files.mkdir(f"{s3}-late")
    writer.add("loss", 2.0, 2)
    writer.close()
    assert fetched(s3_files, f"{s3}-late/run", tmp_path / "a")["loss"].values.tolist() == [1.0, 2.0]


def test_missing_credentials_raise_if_asked(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(OSError, match="tf.summary could not write to 's3://bucket.*credentials"):
        summary.create_file_writer(f"{s3}/run", on_error="raise")


_PROGRAM = """
import sys, time
from tapeflow import summary
writer = summary.create_file_writer(sys.argv[1], flush_millis=100)
writer.add("loss", 1.0, 1)
print("there", flush=True)
{}
"""


def _run(program: str, address: str) -> subprocess.Popen[str]:
    # By name, as servers are: at the end of a process names can no longer be looked up.
    environment = {
        **os.environ,
        "AWS_ENDPOINT_URL": os.environ["AWS_ENDPOINT_URL"].replace("127.0.0.1", "localhost"),
    }
    command = [sys.executable, "-c", _PROGRAM.format(program), address]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_a_killed_process_loses_only_what_was_not_flushed(s3: str, s3_files: Any, tmp_path: Path) -> None:
    process = _run("time.sleep(60)", f"{s3}/run")
    assert process.stdout is not None
    process.stdout.readline()
    end = time.monotonic() + 20
    while not s3_files.exists(f"{s3}/run") or "loss" not in fetched(
        s3_files, f"{s3}/run", tmp_path / "before"
    ):
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    run = fetched(s3_files, f"{s3}/run", tmp_path / "a")
    assert run["loss"].values.tolist() == [1.0]
    assert not run.damages


def test_a_process_that_ends_without_closing_loses_nothing(s3: str, s3_files: Any, tmp_path: Path) -> None:
    process = _run("writer.add('loss', 2.0, 2)", f"{s3}/run")
    assert process.wait(60) == 0
    assert fetched(s3_files, f"{s3}/run", tmp_path / "a")["loss"].values.tolist() == [1.0, 2.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_writes_a_file_of_its_own(s3: str, s3_files: Any, tmp_path: Path) -> None:
    program = """
import os, warnings
warnings.simplefilter("ignore")
writer.flush()
child = os.fork()
if not child:
    writer.add("loss", 3.0, 3)
    writer.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
writer.add("loss", 2.0, 2)
"""
    process = _run(program, f"{s3}/run")
    assert process.wait(60) == 0
    assert len(s3_files.find(f"{s3}/run")) == 2
    run = fetched(s3_files, f"{s3}/run", tmp_path / "a")
    assert sorted(run["loss"].values.tolist()) == [1.0, 2.0, 3.0]


def test_over_sftp_a_file_is_renamed_into_place(
    sftp: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, served = sftp
    monkeypatch.setattr(remote_event_file, "PART_BYTES", 300)
    writer = summary.create_file_writer(f"{address}/logs/run")
    for step in range(10):
        writer.add("loss", float(step), step)
        writer.flush()
    writer.close()
    assert [p.name for p in (served / "logs" / "run").iterdir() if "tfevents" not in p.name] == []
    assert sorted(summary.read(served / "logs" / "run")["loss"].values.tolist()) == list(range(10))
    assert "secret" not in f"{writer.logdir}{writer.path}"  # type: ignore[attr-defined]


def test_an_sftp_server_with_another_key_is_refused(sftp: tuple[str, Path], tmp_path: Path) -> None:
    (tmp_path / "home" / ".ssh" / "known_hosts").write_text("")
    with pytest.raises(OSError, match="host key of .* is not in ~/.ssh/known_hosts: log in with ssh once"):
        summary.create_file_writer(f"{sftp[0]}/run", on_error="raise")


def test_a_wrong_password_is_said_without_it(sftp: tuple[str, Path]) -> None:
    with pytest.raises(OSError, match="Authentication failed") as caught:
        summary.create_file_writer(f"{sftp[0].replace('secret', 'guess')}/run", on_error="raise")
    assert "guess" not in str(caught.value)


def test_a_run_has_a_folder_of_its_own(s3: str, s3_files: Any) -> None:
    with summary.run("a", s3, capture=False) as first, summary.run("a", s3, capture=False) as second:
        assert first.logdir != second.logdir  # type: ignore[attr-defined]
    assert len(s3_files.find(s3)) == 2


def test_captured_facts_go_there_too(s3: str, s3_files: Any, tmp_path: Path) -> None:
    with summary.run("a", s3, capture=["facts", "console"]) as writer:
        print("hello from the run")  # noqa: T201
    run = fetched(s3_files, writer.logdir, tmp_path / "a")  # type: ignore[attr-defined]
    assert any("hello from the run" in line.text for line in run.captured.console)


def test_addresses_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in (
        "https://user:key@example.org/logs",
        "hf://datasets/a/b",
        "nope://x",
        "simplecache::s3://x",
    ):
        with pytest.raises(
            ValueError, match="expected a local folder or an address that takes a new"
        ) as found:
            summary.create_file_writer(address)
        assert "key" not in str(found.value)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(
        ImportError, match="expected s3fs to be installed for 's3://b/run'. .*`pip install s3fs`"
    ):
        summary.create_file_writer("s3://b/run")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match="`pip install fsspec s3fs`"):
        summary.create_file_writer("s3://b/run")


def test_what_writes_other_files_says_that_it_cannot() -> None:
    writer = summary.create_file_writer("memory://logs/run")
    with (
        writer.as_default(),
        pytest.raises(ValueError, match="embedding expected a writer to a local folder"),
    ):
        summary.embedding("points", [[1.0, 2.0], [3.0, 4.0]], step=0)
    writer.close()
    assert fsspec.filesystem("memory").find("/logs/run")
    with pytest.raises(ValueError, match="tf.summary.read expected a file or a folder of this machine"):
        summary.read("memory://logs/run")
    with pytest.raises(ValueError, match="tf.summary.open expected a folder of this machine"):
        summary.open("memory://logs")
