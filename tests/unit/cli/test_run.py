"""Tests for `tapeflow run`; that scripts run is tried in tests/unit/compat/test_script.py and tests/wild."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tapeflow.cli import main

SCRIPT = "import tensorflow as tf\ntf.nn.relu(1.0)\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SCRIPT)
    return path


def test_a_report(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--report", str(script)]) == 0
    assert "TapeFlow has 2 of the 2 TensorFlow names" in capsys.readouterr().out


def test_a_report_as_json(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(SCRIPT + "tf.nosuch\n")
    assert main(["run", "--report", "--json", str(script)]) == 1
    names = {entry["name"]: entry["has"] for entry in json.loads(capsys.readouterr().out)["names"]}
    assert names == {"tensorflow": True, "tensorflow.nn.relu": True, "tensorflow.nosuch": False}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["no.py"], "tapeflow run expected a Python script; got 'no.py', which is no file"),
        (["--report", "no.py"], "got 'no.py', which cannot be read"),
        (["--report", "bad.py"], "bad.py:1: this is not Python"),
    ],
    ids=["run", "report", "syntax"],
)
def test_mistakes(
    arguments: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text("def f(:")
    assert main(["run", *arguments]) == 1
    assert expected in capsys.readouterr().err
