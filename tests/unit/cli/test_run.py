"""Tests for `tapeflow run`; that scripts run is tried in tests/unit/compat/test_script.py and tests/wild."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow.cli import main
from tapeflow.compat import uninstall

SCRIPT = "import tensorflow as tf\ntf.nn.relu(1.0)\n"


@pytest.fixture(autouse=True)
def _uninstalled(no_real_tensorflow: None) -> Iterator[None]:
    """What runs here as a command is a process of its own elsewhere, which leaves nothing behind."""
    yield
    uninstall()


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


def test_json_is_a_form_of_the_report(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--json", str(script)]) == 2
    assert "--json expected --report, whose form it is; got --json alone." in capsys.readouterr().err


def test_a_script_is_told_the_version_that_was_asked_for(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("import tensorflow as tf\nprint(tf.__version__, tf.version.VERSION)\n")
    assert main(["run", "--tensorflow-version", "2.11", str(script)]) == 0
    assert capsys.readouterr().out == "2.11.0 2.11.0\n"
    assert main(["run", "--tensorflow-version", "1.15", str(script)]) == 2
    assert "expected a release of TensorFlow 2; got --tensorflow-version='1.15'" in capsys.readouterr().err


def test_errors_in_what_a_script_imports_are_its_own(script: Path) -> None:
    (script.parent / "broken_part.py").write_text("def f(:")
    script.write_text("import broken_part\n")
    with pytest.raises(SyntaxError):
        main(["run", str(script)])
    script.write_text("import no_such_module_of_mine\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_module_of_mine"):
        main(["run", str(script)])


@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)", "1 / 0"], ids=["fine", "exit", "crash"])
def test_a_logged_run(script: Path, tmp_path: Path, ending: str) -> None:
    script.write_text(f"import sys\nprint('said', *sys.argv[1:])\n{ending}\n")
    arguments = ["run", "--log", str(tmp_path / "logs"), str(script), "--log", "mine"]
    if ending:
        with pytest.raises((SystemExit, ZeroDivisionError)):
            main(arguments)
    else:
        assert main(arguments) == 0
    (folder,) = (tmp_path / "logs").iterdir()
    assert folder.name.startswith("mine-")
    found = tf.summary.read(folder).captured
    assert found.facts["script"] == str(script)
    assert found.state["state"] == ("crashed" if ending else "finished")
    assert [line.text for line in found.console] == ["said --log mine"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["no.py"], "tapeflow run: expected a Python script; got 'no.py', which is no file"),
        (["bad.py"], "tapeflow run: bad.py:1: this is not Python: invalid syntax"),
        (
            ["-m", "no.such"],
            "tapeflow run: expected a module; got 'no.such', which is neither in this folder nor",
        ),
        (["-m", "..bad"], "got '..bad', which is neither in this folder nor installed."),
        (["--report", "no.py"], "got 'no.py', which cannot be read"),
        (["--report", "bad.py"], "bad.py:1: this is not Python"),
        (["null.py"], "null.py: this is not Python"),
        (["--report", "--log", "x", "bad.py"], "--log expected a script to run; got --report"),
        (["--log", "", "bad.py"], "--log expected a folder; got ''"),
        (["--report", "-m", "json"], "--report expected the path of a file; got -m"),
    ],
    ids=[
        "run",
        "broken",
        "module",
        "name",
        "report",
        "syntax",
        "null",
        "report and log",
        "no folder",
        "both",
    ],
)
def test_wrong_arguments_raise(
    arguments: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text("def f(:")
    Path("null.py").write_bytes(b"x = 1\0")
    assert main(["run", *arguments]) == (2 if expected.startswith("--") else 1)
    assert expected in capsys.readouterr().err
