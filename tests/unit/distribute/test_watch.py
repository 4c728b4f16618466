"""Naming workers that hang, with a table of keys and values of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest

from tapeflow.distribute.watch import Watch, _place
from tapeflow.engine.devices import placement, processes
from tapeflow.engine.devices.processes import Member
from tapeflow.engine.programs.flight import Flight


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    values: dict[str, str] = {}
    monkeypatch.setattr(processes, "tell_now", values.__setitem__)
    monkeypatch.setattr(processes, "glance", values.get)
    monkeypatch.setattr(processes, "begun", 5)
    return values


def watch(ends: bool = False) -> Watch:
    return Watch(Member("a:1", 3, 0), {1: "node1"}, 10, ends)


def test_the_worker_that_is_behind_is_named_once(
    table: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = watch()
    table["progress/1"] = json.dumps([4, 9.5, "train.py:7, save"])
    table["progress/2"] = json.dumps([5, 9.5, "train.py:9, fit"])
    for now in (100, 104, 109.9):
        found.look(now)
    assert capsys.readouterr().err == ""
    for now in (110, 112, 130):
        found.look(now)
    assert capsys.readouterr().err == (
        "MultiWorkerMirroredStrategy: process 0 has waited 10 s for process 1 (node1), which has been in train.py:7, "
        "save for 10 s\n"
    )


def test_nobody_is_named_who_is_as_far(table: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = watch(ends=True)
    table["progress/1"] = json.dumps([6, 0, "x"])
    for now in (0, 50):
        found.look(now)  # and process 2 has not been heard of yet
    assert capsys.readouterr().err == ""
    begun, waited_s, place = json.loads(table["progress/0"])
    assert (begun, waited_s) == (5, 50)
    assert place.startswith("test_watch.py:")


def test_going_on_ends_the_wait(
    table: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = watch()
    table["progress/1"] = json.dumps([4, 0, "x"])
    found.look(0)
    monkeypatch.setattr(processes, "begun", 6)
    found.look(11)
    assert capsys.readouterr().err == ""
    found.look(21)
    assert "has waited 10 s for process 1" in capsys.readouterr().err


def test_who_has_waited_twice_the_timeout_ends(
    table: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Ended(Exception):
        pass

    def end(code: int) -> None:
        raise Ended(code)

    monkeypatch.setattr(os, "_exit", end)
    table["progress/1"] = json.dumps([4, 0, "x"])
    stays, ends = watch(), watch(ends=True)
    for now in (0, 21):
        stays.look(now)
    ends.look(0)
    with pytest.raises(Ended, match="1"):
        ends.look(20)
    assert "has waited 20 s and ends now. Start all processes again" in capsys.readouterr().err


def test_places() -> None:
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    assert _place(frame).endswith("test_places")
    assert _place(None) == "no Python code"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from tapeflow.distribute.watch import _place; print(_place(sys._getframe()))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "<string>:1, <module>\n"  # a line that is in no file is better than none


def test_programs_of_several_processes_are_counted(
    table: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Landing(Flight):
        def land(self) -> None:
            """Nothing to bind."""

    Landing().take_off(lambda *_: 1, [])
    assert processes.begun == 5
    monkeypatch.setattr(placement, "is_shared", lambda: True)
    Landing().take_off(lambda *_: 1, [])
    assert processes.begun == 6
