from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tapeflow import summary
from tapeflow.summary import hooks
from tapeflow.summary.files import FileWriter
from tapeflow.summary.hooks import Pending
from tapeflow.summary.writer import Prepared


def child(code: str, *args: object, **kwargs: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **kwargs)


def test_the_file_is_there_at_once_and_named_as_tensorboard_expects(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path / "a b" / "ünï", filename_suffix=".mine")
    (found,) = (tmp_path / "a b" / "ünï").iterdir()
    assert found.name.startswith("events.out.tfevents.")
    assert found.name.endswith(".mine")
    writer.close()


def test_a_held_writer_makes_no_file_until_it_is_released(tmp_path: Path) -> None:
    writers = [FileWriter(str(tmp_path / str(i)), is_held=True) for i in range(3)]
    for writer in writers:
        writer.add("before", 1.0, 0)
        writer.flush()
    assert list(tmp_path.iterdir()) == []
    kept, emptied, closed = writers
    closed.close()
    emptied.discard()
    emptied.flush()
    assert not (tmp_path / "1").exists()
    for writer in (kept, emptied):
        writer.release()
        writer.add("after", 2.0, 1)
        writer.close()
    found = [list(summary.read(tmp_path / str(i))) for i in range(3)]
    assert found == [["before", "after"], ["after"], ["before"]]


def test_values_steps_and_times_come_back(writer: FileWriter) -> None:
    for i in range(300):
        writer.add("loss", i / 2, i, wall_time=1000.0 + i)
    run = summary.read(writer.logdir)
    np.testing.assert_array_equal(run["loss"].steps, np.arange(300))
    np.testing.assert_array_equal(run["loss"].values, np.arange(300) / 2)
    np.testing.assert_array_equal(run["loss"].wall_times, 1000.0 + np.arange(300))


def test_it_is_written_without_a_flush_within_flush_millis(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path, flush_millis=50)
    writer.add("loss", 1.0, 1)
    run = summary.Run(str(tmp_path))
    end = time.monotonic() + 20
    while "loss" not in run and time.monotonic() < end:
        time.sleep(0.02)
        run.refresh()
    assert run["loss"].values.tolist() == [1.0]
    writer.close()


def test_max_queue_hurries(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path, max_queue=5, flush_millis=600_000)
    for i in range(6):
        writer.add("loss", 1.0, i)
    run = summary.Run(str(tmp_path))
    end = time.monotonic() + 20
    while "loss" not in run and time.monotonic() < end:
        time.sleep(0.02)
        run.refresh()
    assert len(run["loss"]) >= 5
    writer.close()


class Later(Pending):
    """A value that is there when told."""

    shape, dtype = (), np.dtype(np.float32)

    def __init__(self) -> None:
        self.has_come = threading.Event()

    def is_ready(self) -> bool:
        return self.has_come.is_set()

    def get(self) -> np.ndarray:
        self.has_come.wait(20)
        return np.float32(7)


def test_the_thread_waits_for_a_pending_value_and_nobody_else_does(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path, flush_millis=200)
    later = Later()
    begin = time.monotonic()
    writer.add("late", Prepared(float, later), 1)
    writer.add("after", 1.0, 1)
    assert time.monotonic() - begin < 0.2
    later.has_come.set()
    run = summary.read(tmp_path)
    assert run["late"].values.tolist() == [7.0]
    assert list(run) == ["late", "after"]
    writer.close()


def test_arrays_are_copied_when_they_are_logged(writer: FileWriter) -> None:
    data = np.zeros(100, np.float32)
    with writer.as_default():
        summary.write("x", data, step=0)
    data += 1
    assert not summary.read(writer.logdir)["x"].values[0].any()


def test_a_closed_writer_says_so(writer: FileWriter) -> None:
    writer.close()
    writer.close()
    writer.flush()
    for use in (writer.set_as_default, lambda: writer.as_default().__enter__()):
        with pytest.raises(RuntimeError, match="is already closed.*create_file_writer"):
            use()


def test_a_summary_after_close_is_left_out_or_raises_if_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default(), caplog.at_level(logging.ERROR):
        writer.close()
        summary.scalar("x", 1.0, step=1)
        summary.scalar("x", 1.0, step=2)
    (said,) = [r.message for r in caplog.records]
    assert "a summary came after the writer was closed" in said
    strict = summary.create_file_writer(tmp_path, on_error="raise")
    strict.close()
    with pytest.raises(RuntimeError, match="is already closed"):
        strict.add("x", 1.0, 1)


def test_a_writer_nobody_holds_writes_what_it_has(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path, flush_millis=600_000)
    writer.add("x", 1.0, 1)
    del writer
    gc.collect()
    assert len(summary.read(tmp_path)["x"]) == 1


def test_threads_share_a_writer(writer: FileWriter) -> None:
    def work(name: str) -> None:
        for i in range(500):
            writer.add(name, float(i), i)

    threads = [threading.Thread(target=work, args=(f"t{k}",)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    run = summary.read(writer.logdir)
    assert len(run) == 8
    for series in run.values():
        np.testing.assert_array_equal(series.values, np.arange(500))


def test_several_writers_and_processes_share_a_folder(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom tapeflow import summary\n"
        "w = summary.create_file_writer(sys.argv[1])\n"
        "for i in range(200): w.add(sys.argv[2], float(i), i)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), f"p{k}"], env=os.environ)
        for k in range(3)
    ]
    mine = [summary.create_file_writer(tmp_path) for _ in range(3)]
    for k, writer in enumerate(mine):
        writer.add(f"w{k}", 1.0, 1)
        writer.close()
    assert [p.wait(60) for p in running] == [0, 0, 0]
    run = summary.read(tmp_path)
    assert len(run.files) == 6
    assert {tag: len(series) for tag, series in run.items()} == {
        **{f"p{k}": 200 for k in range(3)},
        **{f"w{k}": 1 for k in range(3)},
    }


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_writes_to_a_file_of_its_own(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom tapeflow import summary\n"
        "w = summary.create_file_writer(sys.argv[1])\n"
        "w.add('parent', 1.0, 1)\n"
        "pid = os.fork()\n"
        "w.add('child' if pid == 0 else 'parent', 2.0, 2)\n"
        "w.close()\n"
        "pid and os.waitpid(pid, 0)\n"
        "os._exit(0)\n"
    )
    done = child(code, tmp_path)
    assert done.returncode == 0, done.stderr
    run = summary.read(tmp_path)
    assert run["parent"].steps.tolist() == [1, 2]
    assert run["child"].steps.tolist() == [2]
    assert len(run.files) == 2


def test_kill_9_loses_only_what_was_not_flushed(tmp_path: Path) -> None:
    code = (
        "import os, sys, signal\nfrom tapeflow import summary\n"
        "w = summary.create_file_writer(sys.argv[1], flush_millis=600000)\n"
        "for i in range(1000): w.add('x', float(i), i)\n"
        "w.flush()\n"
        "for i in range(1000): w.add('y', float(i), i)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert child(code, tmp_path).returncode == -signal.SIGKILL
    run = summary.read(tmp_path)
    np.testing.assert_array_equal(run["x"].values, np.arange(1000))
    assert run.lost_bytes == 0


def test_everything_is_written_at_exit(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom tapeflow import summary\n"
        "summary.create_file_writer(sys.argv[1], flush_millis=600000).set_as_default()\n"
        "summary.scalar('x', 1.0, step=1)\n"
    )
    done = child(code, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(summary.read(tmp_path)["x"]) == 1


def test_summary_needs_no_jax(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom tapeflow import summary\nimport numpy as np\n"
        "with summary.create_file_writer(sys.argv[1]).as_default():\n"
        "    summary.scalar('x', np.float32(1), step=1)\n"
        "    summary.image('i', np.zeros((1, 2, 2, 1)), step=1)\n"
        "summary.read(sys.argv[1])\n"
        "sys.exit('jax' in sys.modules)\n"
    )
    assert child(code, tmp_path).returncode == 0


def test_a_value_that_cannot_be_made_is_said_and_the_rest_is_written(
    writer: FileWriter, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object) -> float:
        raise ZeroDivisionError("no such value")

    with caplog.at_level(logging.ERROR):
        writer.add("bad", Prepared(broken, np.zeros(2)), 1)
        writer.add("bad", Prepared(broken, np.zeros(2)), 2)
        writer.add("good", 1.0, 1)
        writer.flush()
    assert list(summary.read(writer.logdir)) == ["good"]
    (said,) = [r.message for r in caplog.records]
    assert "a summary of 'bad' could not be made: no such value" in said


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"logdir": None}, "expected a folder; got logdir=None"),
        ({"logdir": "x", "max_queue": -1}, "expected max_queue to be at least 0; got max_queue=-1"),
        ({"logdir": "x", "flush_millis": -5}, "expected flush_millis to be at least 0; got flush_millis=-5"),
        (
            {"logdir": "x", "on_error": "ignore"},
            "expected on_error to be 'log' or 'raise'; got on_error='ignore'",
        ),
    ],
)
def test_bad_arguments(arguments: dict, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        summary.create_file_writer(**arguments)


def test_noop_writer_and_flush(tmp_path: Path) -> None:
    writer = summary.create_noop_writer()
    with writer.as_default():
        assert not summary.scalar("x", 1.0, step=1)
        assert not summary.should_record_summaries()
    summary.flush(writer)
    summary.flush()
    writer.add("x", 1.0, 1)
    writer.add_graph(b"")
    writer.add_summary(b"", 1)
    writer.init()
    writer.close()


def test_a_flood_of_large_arrays_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow.summary.files._MOST_BYTES", 1 << 20)
    writer = summary.create_file_writer(tmp_path)
    for i in range(20):
        writer.add("x", hooks.value(np.zeros(1 << 16, np.float32)), i)
    assert len(writer._queue) < 20
    writer.close()
    assert len(summary.read(tmp_path)["x"]) == 20
