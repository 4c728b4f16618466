from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board.logdirs import run_id
from tapeflow.summary.captured import messages
from tapeflow.summary.kinds.hyperparameters import START_TAG, hparams_pb


def test_the_page_of_a_run_has_all_of_its_parts(
    tmp_path: Path, events: Any, serve: Callable[..., Any]
) -> None:
    content = hparams_pb({"lr": 0.1}, "one", 1.7e9).value[0].metadata.plugin_data.content
    runs = tmp_path / "runs"
    events.write(runs / "a", events.entry(START_TAG, [], "hparams", content=content))
    path = events.write(runs / "a/train", events.scalars("loss", [3.0, math.nan, 2.0]))
    events.write(runs / "a/validation", events.scalars("loss", [4.0, 1.0]))
    client = serve(runs)
    client.wait_until_read()
    for part in ("a", "a/train", "a/validation"):
        found = client.get("api/v1/runs/page", run=run_id(part))
        assert (found["row"]["name"], found["row"]["id"]) == ("a", run_id("a"))
    assert found["hparams"] == {"lr": 0.1}
    assert [(one["name"], one["run"], one["last"], one["least"]) for one in found["scalars"]] == [
        ("loss", run_id("a/train"), 2.0, 2.0),
        ("validation/loss", run_id("a/validation"), 1.0, 1.0),
    ]
    assert {"run": run_id("a/train"), "name": path.name, "nbytes": path.stat().st_size} in found["files"]
    assert (found["points"], found["duration_s"], found["notes"]) == (6, 2.0, [])


@pytest.fixture
def captured(events: Any) -> Callable[..., bytes]:
    """A record of what a run captures of itself."""

    def record_of(tag: str, message: Any, step: int = 0) -> bytes:
        text = message if isinstance(message, str) else messages.dumped(message)
        return events.entry(tag, np.array(text.encode(), dtype=object), messages.PLUGIN, step)

    return record_of


def test_the_page_has_what_the_run_captured(
    tmp_path: Path, events: Any, captured: Any, serve: Callable[..., Any]
) -> None:
    facts = {
        "id": "1",
        "time": 1.7e9,
        "command": ["python", "train.py", "--lr", "0.1"],
        "script": "/x/train.py",
        "python": "3.12.1",
        "packages": {"numpy": "2.1"},
        "environment": {"XLA_FLAGS": "--x"},
        "memory_bytes": 2**34,
        "git": {"commit": "abc", "branch": "main", "diff": "-a\n+b", "is_cut": True},
    }
    lines = [messages.ConsoleLine(1.0, "stdout", f"line {i}") for i in range(3)]
    end = {"id": "1", "state": "crashed", "error": "ValueError: no", "traceback": "Traceback ..."}
    data = captured(messages.FACTS, facts) + captured(messages.STATE, {"id": "1", "state": "running"})
    data += captured(messages.CONSOLE, messages.console_message(lines)) + captured(messages.STATE, end)
    events.write(tmp_path / "runs/a", data)
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    found = client.get("api/v1/runs/page", run=run_id("a"))
    assert found["row"]["standing"] == "crashed"
    sections = {section["name"]: section for section in found["sections"]}
    assert list(sections) == ["crash", "command", "environment", "git", "diff", "packages", "console"]
    assert sections["crash"]["text"] == "Traceback ..."
    assert sections["command"]["text"] == "python train.py --lr 0.1"
    assert sections["environment"]["facts"] == {
        "python": "3.12.1",
        "memory": "16.0 GiB",
        "XLA_FLAGS": "--x",
    }
    assert sections["git"]["facts"] == {"commit": "abc", "branch": "main"}
    assert (sections["diff"]["text"], sections["diff"]["is_cut"]) == ("-a\n+b", True)
    assert sections["console"]["text"] == "line 0\nline 1\nline 2"


@pytest.mark.parametrize("text", ["{", "[]", '{"git": 3, "command": [1]}', '{"lines": 5}'])
def test_what_is_no_message_says_nothing(
    text: str, tmp_path: Path, events: Any, captured: Any, serve: Callable[..., Any]
) -> None:
    tags = (messages.FACTS, messages.STATE, messages.CONSOLE)
    events.write(tmp_path / "runs/a", b"".join(captured(tag, text) for tag in tags))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    found = client.get("api/v1/runs/page", run=run_id("a"))
    assert (found["sections"], found["row"]["standing"]) == ([], "running")


def test_a_run_that_stopped_to_give_signs_of_life_is_stalled(
    tmp_path: Path, events: Any, captured: Any, serve: Callable[..., Any]
) -> None:
    path = events.write(tmp_path / "runs/a", captured(messages.STATE, {"id": "1", "state": "running"}))
    os.utime(path, (1.7e9, 1.7e9))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    assert client.get("api/v1/runs/page", run=run_id("a"))["row"]["standing"] == "stalled"


def test_a_page_of_no_run_is_refused(tmp_path: Path, serve: Callable[..., Any]) -> None:
    answer = serve(tmp_path).ask("GET", "/api/v1/runs/page?run=x")
    assert answer.status == 404
    assert b"there is no run='x'; api/v1/runs has all" in answer.body


def test_the_table_is_sent_once(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    os.utime(events.write(tmp_path / "runs/a", events.scalars("loss", [1.0])), (1.7e9, 1.7e9))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    first = client.ask("GET", "/api/v1/runs/table")
    assert (first.status, first.headers["Content-Type"]) == (200, "application/vnd.tapeflow.columns")
    again = client.ask("GET", "/api/v1/runs/table", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
