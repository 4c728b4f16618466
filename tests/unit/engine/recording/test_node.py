"""Tests for tapeflow.engine.recording.node: the user's line, wherever the package and the user's script lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tapeflow

PACKAGE = Path(tapeflow.__file__).parent
SCRIPT = """
import tapeflow as tf

tf.keras.losses.mean_squared_error(tf.ones([3]), tf.ones([3, 1]))
node = (tf.constant([1.0]) + tf.constant([2.0]))._node
print("made at", node.line())
"""


def run(script: Path, source: Path) -> str:
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(source), "PYTHONWARNINGS": "default"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "folder", ["tapeflow", "src/tapeflow/engine", "it's 100% [a] $HOME #1", "Übung Modelle"]
)
def test_lines_of_a_script_in_any_folder(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir(parents=True)
    script = tmp_path / folder / "train.py"
    text = run(script, PACKAGE.parent)
    assert f"made at {script}:5" in text
    assert f"{script}:4: UserWarning" in text


def test_lines_where_the_package_is_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "tapeflow").symlink_to(PACKAGE, target_is_directory=True)
    script = tmp_path / "train.py"
    text = run(script, tmp_path / "library")
    assert f"made at {script}:5" in text
    assert f"{script}:4: UserWarning" in text
