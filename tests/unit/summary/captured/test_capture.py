"""What a run captures of itself, from a folder of its own, a callback's and another library's."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tapeflow import summary
from tapeflow.summary.captured import capture as capturing
from tapeflow.summary.captured import system as sampling
from tapeflow.summary.captured.messages import SYSTEM_METRICS
from tapeflow.summary.captured.reading import Captured
from tapeflow.summary.captured.system import System, pause_s


def run_script(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = folder / "train.py"
    script.write_text(textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=folder,
        env={**os.environ, "TAPEFLOW_CAPTURE": "on"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def captured(folder: Path | str) -> Captured:
    return summary.read(folder).captured


def test_a_run_knows_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    with summary.run("x", tmp_path, seed=5) as run:
        summary.scalar("loss", 0.5, step=7)
        run.flush()
        print("said")
    run = summary.read(run.logdir)
    found = run.captured
    assert list(run) == ["loss"]  # what nobody logged is no tag
    assert found.facts["seed"] == 5
    assert found.facts["host"] == socket.gethostname()
    assert found.facts["process"] == os.getpid()
    assert "numpy" in found.facts["packages"]
    assert found.facts["folder"] == os.getcwd()
    assert len(found.facts["git"]["commit"]) == 40
    assert found.state == {"id": found.facts["id"], "state": "finished"}
    assert [line.text for line in found.console] == ["said"]
    assert "system/cpu" in found.system
    assert found.system.keys() <= SYSTEM_METRICS.keys()
    assert capsys.readouterr().out == "said\n"


def test_kinds_are_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with summary.run("a", tmp_path, capture=["system"]) as run:
        print("unheard")
    found = captured(run.logdir)
    assert (found.facts, found.console) == ({}, [])
    assert found.system
    monkeypatch.setenv("TAPEFLOW_CAPTURE", "facts, console")
    with summary.run("b", tmp_path, capture=["system", "facts"]) as run:
        pass
    found = captured(run.logdir)
    assert not found.system
    assert "git" not in found.facts
    assert found.facts
    monkeypatch.setenv("TAPEFLOW_CAPTURE", "off")
    with summary.run("c", tmp_path) as run:
        summary.scalar("loss", 0.5, step=0)
    found = captured(run.logdir)
    assert (found.facts, found.state) == ({}, {})


def test_unknown_kinds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(ValueError, match="capture expected some of facts, code.*kinds='all'"),
        summary.run("x", tmp_path, capture=["all"]),
    ):
        pass
    monkeypatch.setenv("TAPEFLOW_CAPTURE", "fact")
    with pytest.raises(ValueError, match="variable TAPEFLOW_CAPTURE expected.*'fact'"):
        summary.capture(tmp_path)
    monkeypatch.delenv("TAPEFLOW_CAPTURE")
    with pytest.raises(ValueError, match="capture expected a folder or a writer; got none"):
        summary.capture()


def test_how_a_run_ended(tmp_path: Path) -> None:
    for name, error in (("a", ZeroDivisionError("x")), ("b", KeyboardInterrupt()), ("c", SystemExit(0))):
        with pytest.raises(type(error)), summary.capture(tmp_path / name, kinds=["facts"]):
            raise error
    assert captured(tmp_path / "a").state["state"] == "crashed"
    assert captured(tmp_path / "a").state["error"] == "ZeroDivisionError: x"
    assert "raise error" in captured(tmp_path / "a").state["traceback"]
    assert captured(tmp_path / "b").state["state"] == "finished"
    assert captured(tmp_path / "b").state["error"] == "KeyboardInterrupt"
    assert captured(tmp_path / "c").state["state"] == "finished"


def test_a_program_that_ends_by_itself(tmp_path: Path) -> None:
    text = """
        import sys
        from tapeflow import summary
        capture = summary.capture("logs")
        capture.step = 3
        print("said")
        if sys.argv[1:]:
            raise RuntimeError("no more data")
        assert "jax" not in sys.modules
    """
    assert run_script(tmp_path, text).returncode == 0
    found = captured(tmp_path / "logs")
    assert found.state["state"] == "finished"
    assert found.facts["script"] == str(tmp_path / "train.py")
    (tmp_path / "logs").rename(tmp_path / "first")
    done = run_script(tmp_path, text, "--password", "x", "y")
    assert "RuntimeError" in done.stderr
    found = captured(tmp_path / "logs")
    assert found.state["state"] == "crashed"
    assert "RuntimeError: no more data" in found.state["traceback"]
    assert found.facts["command"][-3:] == ["--password", "***", "y"]


def test_children_capture_nothing(tmp_path: Path) -> None:
    text = """
        import multiprocessing, os
        from tapeflow import summary

        def work():
            print("of a child")

        if __name__ == "__main__":
            with summary.run("x", "logs", capture=["facts", "console"]):
                for how in ("fork", "spawn"):
                    child = multiprocessing.get_context(how).Process(target=work)
                    child.start()
                    child.join()
                    assert child.exitcode == 0
                if os.fork() == 0:
                    raise SystemExit(0)  # its handlers at exit run, and write nothing
                os.wait()
                print("of the parent")
    """
    done = run_script(tmp_path, text)
    assert (done.returncode, done.stderr) == (0, "")
    (folder,) = (tmp_path / "logs").iterdir()
    assert len(list(folder.iterdir())) == 1
    found = captured(folder)
    assert [line.text for line in found.console] == ["of the parent"]
    assert found.state["state"] == "finished"


def test_a_disk_that_takes_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level("WARNING", "tapeflow.summary"):
        capture = summary.capture(tmp_path / "file" / "x")
        print("said")
        capture.finish()
    assert sum("files could not be written" in record.message for record in caplog.records) == 1


def test_signs_of_life_and_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capturing, "_TICK_S", 0.02)
    monkeypatch.setattr(capturing, "pause_s", lambda elapsed_s: 0.05)
    monkeypatch.setattr(sampling, "_LEAST_SPAN_S", 0.0)
    with summary.run("x", tmp_path) as run:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            run.flush()
            found = captured(run.logdir)
            if len(found.system.get("system/sent", ())) > 2:
                break
            time.sleep(0.05)
        assert found.state["state"] == "running"
        assert found.state["interval_s"] == 10
    series = found.system["system/process_memory"]
    assert len(series) > 2
    assert (series.values > 1e6).all()
    assert (series.wall_times[1:] >= series.wall_times[:-1]).all()


def test_a_sample_takes_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_LEAST_SPAN_S", 0.0)
    system = System("/")
    begin = time.thread_time()
    for _ in range(20):
        system.sample()
    share = (time.thread_time() - begin) / 20 / pause_s(0)
    assert share < 0.01
    assert (pause_s(0), pause_s(100 * 3600)) == (5.0, 30.0)


def test_two_processes_of_one_run(tmp_path: Path) -> None:
    for seed in (1, 2):
        with summary.capture(tmp_path / "run", kinds=["facts"], seed=seed):
            pass
    found = captured(tmp_path / "run")
    assert found.facts["seed"] == 2
    assert found.state["id"] == found.facts["id"]


def test_alerts(tmp_path: Path) -> None:
    assert not summary.alert("nobody listens")
    with summary.run("x", tmp_path, capture=False) as run:
        assert summary.alert("no better than chance", "accuracy 0.1", level="error", step=4)
        assert summary.alert("slow")
    first, second = captured(run.logdir).alerts
    assert first.step == 4
    assert first.alert == {"title": "no better than chance", "text": "accuracy 0.1", "level": "error"}
    assert (second.step, second.alert["level"]) == (0, "warning")
    with pytest.raises(ValueError, match="alert expected a title; got title=' '"):
        summary.alert(" ")
    with pytest.raises(ValueError, match="expected a level of info, warning, error; got level='loud'"):
        summary.alert("x", level="loud")  # type: ignore[arg-type]


def test_means_over_hardly_any_time_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = System(str(tmp_path))
    means = {"system/cpu", "system/process_cpu", "system/sent"}
    assert means <= taken.sample().keys()
    again = taken.sample()
    assert not means & again.keys()
    assert "system/memory" in again
    monkeypatch.setattr(sampling, "_LEAST_SPAN_S", 0.0)
    assert means <= taken.sample().keys()
