"""Tests for `tapeflow doctor` as a command; its parts are tried in tests/unit/doctor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tapeflow.cli import doctor, main
from tapeflow.doctor.finding import Finding, State


def test_it_says_what_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor"])
    said = capsys.readouterr().out
    for text in ("Python", "jaxlib", "starlette", "CPU:0", "GFLOP/s", "compiled programs", "rm -r"):
        assert text in said
    assert [said.count(f"{section}\n") for section in ("Packages", "Engine", "Machine", "Folders")] == [1] * 4


def broken_report(folder: Path, modules: tuple[str, ...]) -> dict[str, Any]:
    """What is said where importing these modules fails."""
    for name in modules:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f"raise ImportError('{name}.so: cannot open')")
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "tapeflow.cli", "doctor", "--json"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    return json.loads(done.stdout)


def test_a_broken_jax_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    report = broken_report(tmp_path, ("jax",))
    assert report["is_broken"]
    found = [one for one in report["findings"] if one["section"] == "Engine"]
    assert found == [
        {
            "section": "Engine",
            "name": "jax",
            "value": "does not import: ImportError: jax.so: cannot open",
            "state": "broken",
            "remedy": "pip install --force-reinstall --no-deps jax",
        }
    ]
    assert {one["section"] for one in report["findings"]} >= {"Packages", "Machine", "Folders"}


def test_it_works_where_nothing_else_does(tmp_path: Path) -> None:
    modules = ("jax", "numpy", "starlette", "uvicorn", "orjson", "tsdownsample", "google", "h5py", "PIL")
    report = broken_report(tmp_path, modules)
    names = {one["name"] for one in report["findings"] if one["section"] == "Engine"}
    assert names >= {"jax", "numpy", "starlette", "uvicorn", "orjson", "h5py", "pillow", "protobuf"}
    assert any(one["name"] == "compiled programs" for one in report["findings"])


@pytest.mark.parametrize(
    ("state", "code", "end"),
    [
        (State.OK, 0, "All is well.\n"),
        (State.NOTE, 0, "for information: it: so\n    do this\nAll is well.\n"),
        (State.SLOW, 0, "costs speed: it: so\n    do this\n0 broken, 1 costing speed.\n"),
        (State.BROKEN, 1, "broken: it: so\n    do this\n1 broken, 0 costing speed.\n"),
    ],
    ids=["ok", "note", "slow", "broken"],
)
def test_how_it_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state: State, code: int, end: str
) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: [Finding("Part", "it", "so", state, "do this")])
    assert main(["doctor"]) == code
    assert capsys.readouterr().out.endswith(end)
