"""Assistants' questions, asked with the client of the mcp package over standard input and output."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tapeflow import summary
from tapeflow.board import Client as BoardClient
from tapeflow.board.mcp import answers as module
from tapeflow.board.mcp.answers import Answers, Unanswerable
from tapeflow.cli.main import main

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for name, rate in (("a", 0.1), ("b", 0.2)):
        with summary.create_file_writer(tmp_path / "logs" / name).as_default() as writer:
            summary.hparams({"lr": rate, "units": 8})
            for step in range(300):
                summary.scalar("loss", (step - 150) ** 2 * rate, step=step)
            summary.text("notes", f"hello from {name}", step=1)
            for step in (1, 2):
                summary.image("picture", [[[[step / 2, 0.0, 0.0]]] * 2], step=step)
            if name == "b":
                summary.scalar("loss", float("nan"), step=300)
        writer.close()
    with summary.run("c", tmp_path / "logs", capture=["facts", "console"], seed=3):
        for line in range(30):
            sys.stdout.write(f"line {line}\n")
    return tmp_path / "logs"


@pytest.fixture
def answers(logs: Path, serve: Callable[..., Any]) -> Answers:
    served = serve(logs)
    return Answers(BoardClient(f"http://127.0.0.1:{served.port}"))


def test_over_standard_input_and_output(logs: Path, tmp_path: Path) -> None:
    command = [
        "-m",
        "tapeflow.cli",
        "board",
        "--mcp",
        "--logdir",
        str(logs),
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    before = {path: path.stat().st_size for path in logs.rglob("*")}

    async def ask() -> None:
        async with Client(parameters, read_timeout_seconds=60) as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == {
                *("list_runs", "list_tags", "get_series", "get_config", "compare_runs", "get_alerts"),
                *("get_console", "get_text", "get_image"),
            }
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
            assert all(tool.description for tool in tools)

            async def told(name: str, **arguments: Any) -> Any:
                answer = await client.call_tool(name, arguments)
                assert not answer.is_error, answer.content
                return json.loads(answer.content[0].text)  # type: ignore[union-attr]

            runs = {run["run"]: run for run in (await told("list_runs"))["runs"]}
            assert runs["a"]["hyperparameters"] == {"lr": 0.1, "units": 8.0}
            assert runs["a"]["scalars"]["loss"]["min_step"] == 150
            assert runs["b"]["scalars"]["loss"]["last"] == "nan"
            series = (await told("get_series", tag="loss", runs=["a", "b"], points=20))["series"]
            assert [len(one["steps"]) <= 20 for one in series] == [True, True]
            assert series[0]["total_points"] == 300
            assert (await told("get_text", run="a", tag="notes"))["text"] == "hello from a"
            picture = await client.call_tool("get_image", {"run": "a", "tag": "picture", "step": 1})
            about, image = picture.content
            assert json.loads(about.text)["steps"] == [1, 2]  # type: ignore[union-attr]
            assert image.mime_type == "image/png"  # type: ignore[union-attr]
            assert base64.b64decode(image.data).startswith(PNG)  # type: ignore[union-attr]
            wrong = await client.call_tool("get_config", {"run": "nothing"})
            assert wrong.is_error
            assert "there is no run 'nothing'; list_runs has all" in wrong.content[0].text  # type: ignore[union-attr]

    asyncio.run(ask())
    assert {path: path.stat().st_size for path in logs.rglob("*")} == before


def test_runs(answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answers.runs(contains="A")
    assert [run["run"] for run in found["runs"]] == ["a"]
    assert found["runs"][0]["points"] > 300
    assert answers.runs(scalars=["loss"])["runs"][0]["scalars"].keys() == {"loss"}
    monkeypatch.setattr(module, "MOST_RUNS", 1)
    found = answers.runs(first=1)
    assert (len(found["runs"]), found["matching"]) == (1, 3)
    assert found["runs"][0]["run"] == "b"
    with pytest.raises(Unanswerable, match="no run has a scalar 'accuracy'; list_tags has all"):
        answers.runs(scalars=["accuracy"])


def test_tags(answers: Answers) -> None:
    assert [one["tag"] for one in answers.tags("images")["tags"]] == ["picture"]
    assert answers.tags()["kinds"]["text"] >= 1
    with pytest.raises(Unanswerable, match="there is no kind 'pictures'; there are .*images"):
        answers.tags("pictures")


def test_series_are_bounded(answers: Answers) -> None:
    (one,) = answers.series("loss", ["b"], points=100_000)["series"]
    assert len(one["steps"]) == 301
    assert one["values"][-1] == "NaN"
    with pytest.raises(Unanswerable, match="'a' has no scalar 'accuracy'; it has 'loss'"):
        answers.series("accuracy", ["a"])
    with pytest.raises(Unanswerable, match="series expected 1 to 10 runs; got 0"):
        answers.series("loss", [])


def test_what_a_run_was(answers: Answers) -> None:
    (name,) = [run["run"] for run in answers.runs(contains="c-")["runs"]]
    found = answers.config(name)
    assert found["command"]["seed"] == "3"
    assert found["packages"]["numpy"]
    console = answers.console(name, lines=3)
    assert console["lines"] == ["line 27", "line 28", "line 29"]
    assert console["lines_before"] == 27
    assert answers.console("a")["note"] == "it captured no console output"


def test_comparing(answers: Answers) -> None:
    found = answers.compare(["a", "b"])
    assert found["hyperparameters_that_differ"] == {"lr": [0.1, 0.2]}
    assert [one["min_step"] for one in found["scalars"]["loss"]] == [150, 150]
    with pytest.raises(Unanswerable, match="compare_runs expected 2 to 5 runs; got 1"):
        answers.compare(["a"])


def test_alerts(answers: Answers) -> None:
    def found() -> Any:
        return {run["run"]: run["alerts"] for run in answers.alerts()["runs"]}

    end = time.monotonic() + 20
    while "b" not in found():
        assert time.monotonic() < end
        time.sleep(0.05)
    (alert,) = found()["b"]
    assert (alert["tag"], alert["level"]) == ("loss", "error")
    assert alert["text"].startswith("loss ")


def test_pictures(answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    about, mime, data = answers.image("a", "picture")
    assert (about["step"], mime, data[:8]) == (2, "image/png", PNG)
    with pytest.raises(Unanswerable, match="step 2 of 'picture' has 1 pictures; got 1"):
        answers.image("a", "picture", sample=1)
    with pytest.raises(Unanswerable, match=r"'picture' has no step 7; it has \[1, 2\]"):
        answers.image("a", "picture", step=7)
    with pytest.raises(Unanswerable, match="'a' has no 'photo' among images"):
        answers.image("a", "photo")
    monkeypatch.setattr(module, "MOST_PICTURE_BYTES", 10)
    with pytest.raises(Unanswerable, match="kind image/png is not sent"):
        answers.image("a", "picture")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "tapeflow.board.mcp.server", raising=False)
    for name in ("mcp", "mcp.server", "mcp.server.mcpserver"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["board", "--mcp", "logs"]) == 1
    assert (
        "--mcp needs the package mcp, 2.0 or newer: `pip install 'tapeflow[mcp]'`" in capsys.readouterr().err
    )
