"""Tests for tapeflow.compat.script: a script in a process of its own, as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow.compat.script import run_script

RUN = """
import sys
from tapeflow.compat.script import MissingName, run_module, run_script
run = run_module if sys.argv[1] == "-m" else run_script
try:
    run(sys.argv[-2], sys.argv[-1:])
except MissingName as error:
    print(error)
"""


def run(folder: Path, script: str, *options: str) -> str:
    (folder / "mine.py").write_text(script)
    name = "mine" if options else str(folder / "mine.py")
    done = subprocess.run(
        [sys.executable, "-c", RUN, *(options or ("",)), name, "argument"],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("-m",)], ids=["path", "module"])
def test_a_script_runs_as_it_is(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "beside.py").write_text("WORD = 'beside'")
    script = (
        "import sys, tensorflow as tf, keras, beside\n"
        "from tensorflow.keras.layers import Dense\n"
        "print(__name__, sys.argv[1:], beside.WORD, tf.__version__, tf.add(1, 2).numpy(), keras.layers.Dense is Dense)"
    )
    assert run(tmp_path, script, *options) == "__main__ ['argument'] beside 2.15.0 3 True\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "tf.keras.layers.Desne",
            "mine.py:2: TapeFlow has no tensorflow.keras.layers.Desne; the nearest is 'Dense'",
        ),
        ("tf.constnt", "mine.py:2: TapeFlow has no tensorflow.constnt; the nearest is 'constant'"),
        ("from tensorflow.keras.layers import Desne", "mine.py:2: cannot import name 'Desne'"),
        ("import tensorflow.nosuch", "mine.py:2: No module or name 'tensorflow.nosuch'"),
    ],
    ids=["attribute", "root", "from", "module"],
)
def test_a_missing_name_is_one_line(line: str, expected: str, tmp_path: Path) -> None:
    text = run(tmp_path, f"import tensorflow as tf\n{line}")
    assert expected in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    "folder", ["tapeflow", "site-packages", "src/tapeflow/keras", "python3.11", "Übung 1"]
)
def test_a_missing_name_is_found_in_any_folder(folder: str, tmp_path: Path) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    text = run(place, "import tensorflow as tf\n\ntf.constnt")
    assert text.startswith(f"{place / 'mine.py'}:3: TapeFlow has no tensorflow.constnt")


def test_other_errors_are_the_scripts_own(tmp_path: Path) -> None:
    text = run(tmp_path, "import tensorflow as tf\nobject().foo")
    assert "Traceback" in text
    assert "AttributeError: 'object' object has no attribute 'foo'" in text


def test_no_script() -> None:
    with pytest.raises(FileNotFoundError, match="tapeflow run expected a Python script; got 'no.py'"):
        run_script("no.py")


def test_a_script_may_leave_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "mine.py").write_text("import os\nos.chdir('below')\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    run_script("mine.py")
    assert sys.path == before
    assert Path.cwd() == tmp_path / "below"
