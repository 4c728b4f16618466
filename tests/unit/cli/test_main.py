from __future__ import annotations

import base64
import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tapeflow import summary
from tapeflow.board import column_messages
from tapeflow.board import export as exporting
from tapeflow.cli import main
from tapeflow.cli.failure import Failure
from tapeflow.cli.logdirs import parse


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    root = tmp_path / "my runs"
    for name in ("a", "b"):
        writer = summary.create_file_writer(root / name)
        with writer.as_default():
            for step in range(3):
                summary.scalar("loss", float(step) if step else float("nan"), step=step)
            summary.text("note\x1b[2J", "<script>", step=1)
        writer.close()
    return root


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "tapeflow board --logdir runs" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert re.fullmatch(r"tapeflow \d+\.\d+\.\d+\n", capsys.readouterr().out)
    assert main(["board", "--help"]) == 0
    text = capsys.readouterr().out
    for flag in (
        "--logdir",
        "--host",
        "--bind_all",
        "--port",
        "--no-open",
        "--reload-interval",
        "--read-only",
    ):
        assert flag in text


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            [],
            2,
            "tapeflow expected one of the commands below; got none.",
        ),
        (["boards"], 2, "; got 'boards'. Did you mean 'board'?"),
        (["docter"], 2, "; got 'docter'. Did you mean 'doctor'?"),
        (["xyzzy"], 2, "; got 'xyzzy'.\n"),
        (
            ["board"],
            2,
            "tapeflow board: expected a folder with runs in it; got none. For example: --logdir runs",
        ),
        (["board", "--lgdir", "x"], 2, "tapeflow board: error: unrecognized arguments: --lgdir"),
        (
            ["board", "x", "--port", "70000"],
            2,
            "tapeflow board: --port expected a number from 0 to 65535; got 70000.",
        ),
        (["board", "x", "--port", "six"], 2, "argument --port: invalid int value: 'six'"),
        (
            ["board", "x", "--reload-interval", "0"],
            2,
            "tapeflow board: --reload-interval expected 0.02 to 86400 seconds; got 0.",
        ),
        (
            ["board", "--logdir", "nope://b/x"],
            2,
            "--logdir expected an address that begins with one of s3://",
        ),
        (["board", "x", "--host", "999.1.1.1"], 1, "tapeflow board: --host 999.1.1.1 cannot be listened on"),
        (
            ["inspect", "/no/such"],
            1,
            "expected a run or an event file; got '/no/such', which does not exist.",
        ),
        (["board", "export", "x", "-o", "y", "--points", "0"], 2, "--points expected 1 or more; got 0."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes_are_said_in_a_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, text: str
) -> None:
    assert main(arguments) == code
    found = capsys.readouterr().err
    assert text in found
    assert "Traceback" not in found


COMMANDS = ("board", "board export", "demo", "doctor", "inspect", "run")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert f"  tapeflow {command} " in capsys.readouterr().out
    assert main([*command.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert f"usage: tapeflow {command} " in text
    assert re.search(rf"^ *tapeflow {command} [^ ]", text, re.MULTILINE), "an example to copy"


def test_a_package_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def run(*_: object) -> int:
        raise ModuleNotFoundError("No module named 'uvicorn.config'", name="uvicorn.config")

    monkeypatch.setattr("tapeflow.cli.board.run", run)
    assert main(["board", str(tmp_path)]) == 1
    assert (
        capsys.readouterr().err
        == "tapeflow board: uvicorn is not installed here; `tapeflow doctor` says what to do.\n"
    )


@pytest.mark.parametrize("command", ["board", "inspect", "demo", "run"])
def test_ctrl_c_leaves_no_traceback(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"tapeflow.cli.{command}.run", run)
    assert main([command, *(["x"] if command != "demo" else [])]) == 130
    assert capsys.readouterr().err == ""


def test_names_of_log_folders(tmp_path: Path) -> None:
    with_colon = tmp_path / "a:b"
    with_colon.mkdir()
    assert parse("ours:/data/runs") == parse("ours:/data//runs/")
    assert (parse("ours:/data").name, parse("ours:/data").path) == ("ours", "/data")
    assert (parse(str(with_colon)).name, parse(str(with_colon)).path) == ("", str(with_colon))
    assert parse("runs/x:y").name == ""
    assert parse("~/runs").path == os.path.expanduser("~/runs")
    with pytest.raises(Failure, match="--logdir expected a path; got ''"):
        parse("")


def test_inspect_as_text(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(runs)]) == 0
    text = capsys.readouterr().out
    assert "a: 4 values under 2 tags, 1 file" in text
    assert re.search(r"loss +scalars +3 +0 \.\. 2 +2 +1 \.\. 2 \(1 not finite\)", text)
    assert "note\\x1b[2J" in text
    assert "\x1b" not in text
    assert main(["board", "--logdir", str(runs), "--inspect"]) == 0
    assert capsys.readouterr().out == text


def test_inspect_as_json_csv_and_parquet(
    runs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["inspect", str(runs / "a"), "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)
    (loss,) = [tag for tag in run["tags"] if tag["tag"] == "loss"]
    assert (loss["count"], loss["first_step"], loss["last"], loss["not_finite"]) == (3, 0, 2.0, 1)
    assert (
        main(
            ["inspect", str(runs), "--csv", str(tmp_path / "o.csv"), "--parquet", str(tmp_path / "o.parquet")]
        )
        == 0
    )
    said = capsys.readouterr()
    assert said.err == f"6 scalars written to {tmp_path}/o.csv.\n6 scalars written to {tmp_path}/o.parquet.\n"
    assert not said.out
    assert main(["inspect", str(runs), "--csv", str(tmp_path / "o.csv"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    with open(tmp_path / "o.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["run"], r["step"]) for r in rows] == [(run, str(i)) for run in "ab" for i in range(3)]
    import pandas

    assert pandas.read_parquet(tmp_path / "o.parquet")["value"].tolist()[1:3] == [1.0, 2.0]
    assert main(["inspect", str(runs), "--csv", str(tmp_path / "no" / "o.csv")]) == 1
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_inspect_says_what_is_damaged(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = (runs / "a").iterdir()
    data = path.read_bytes()
    path.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:-3])
    os.utime(path, (1, 1))
    assert main(["inspect", str(path)]) == 0
    assert re.search(
        r"\d+ bad bytes at offset \d+ of events.*: not a record; the last \d+ bytes are not a whole record",
        capsys.readouterr().out,
    )


def test_inspect_of_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in (b"import tensorflow", b"x" * 100_000):
        (tmp_path / "train.py").write_bytes(content)
        assert main(["inspect", str(tmp_path / "train.py")]) == 1
        assert re.search(
            "expected an event file; got '.*train.py', in which there is no whole", capsys.readouterr().err
        )


def test_inspect_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"tapeflow inspect: there are no event files in {tmp_path}.\n"


def test_export_into_one_file(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "report.html"
    arguments = ["board", "export", "--logdir", str(runs), "-o", str(output)]
    monkeypatch.setattr(exporting, "STATIC", tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(arguments) == 1
    assert "the board's page has not been built in this checkout" in capsys.readouterr().err
    (tmp_path / "export.html").write_text("<html><head></head></html>")
    assert main(arguments) == 1
    assert "has no place for data" in capsys.readouterr().err
    (tmp_path / "export.html").write_text("<html><head><!--tapeflow-data--></head></html>")
    assert main(arguments) == 0
    assert f"2 runs written to {output}" in capsys.readouterr().err
    page = output.read_text()
    assert page.count("<script") == 1
    data: dict[str, Any] = json.loads(re.sub("<[^>]*>", "", page))
    overview = base64.b64decode(data["blobs"]["api/v1/overview"].partition(",")[2])
    head, _ = column_messages.unpack_small(overview)
    assert set(head["names"]) == {"a", "b"}
    assert any(
        found == {"shape": [], "texts": ["<script>"], "is_cut": False} for found in data["answers"].values()
    )
    assert main([*arguments[:-1], str(tmp_path / "no" / "x.html")]) == 1
    assert main(["board", "export", str(tmp_path / "cache"), "-o", str(output)]) == 1
    assert "there are no event files in" in capsys.readouterr().err


def test_the_command_serves_says_where_and_stops(runs: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "tapeflow.cli",
            "board",
            str(runs),
            f"later:{tmp_path}/later",
            "--port",
            str(port),
            "--load_fast=false",
        ]
        process = subprocess.Popen(
            [*command, "--cache-dir", str(tmp_path / "cache"), "--settings", str(tmp_path / "s.json")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            found = re.fullmatch(r"TapeFlow board at (http://127\.0\.0\.1:(\d+)/)\n", line)
            assert found is not None, line
            assert int(found[2]) != port
            with urllib.request.urlopen(found[1] + "api/v1/info", timeout=20) as answer:
                assert json.loads(answer.read())["logdirs"][0]["path"] == str(runs)
            with urllib.request.urlopen(found[1] + "api/v1/live", timeout=20) as stream:
                assert stream.readline() == b"event: hello\n"
                process.send_signal(signal.SIGINT)
                while stream.readline():
                    pass
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert f"Port {port} is taken; using {found[2]}." in errors
    assert f"Reading later: {tmp_path}/later, which does not exist yet: runs appear once it does\n" in errors
    assert "Traceback" not in errors
    assert "ERROR" not in errors
    assert process.returncode == 0
