"""Every example runs, says what it is for, and can be read in one sitting."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MAX_LINES = 150


def run(path: Path, *arguments: str) -> str:
    command = [sys.executable, str(path), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path):
    assert run(path, "--smoke").strip()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_is(path):
    text = path.read_text()
    assert len(text.splitlines()) <= MAX_LINES
    assert ast.get_docstring(ast.parse(text))


def test_the_written_out_loop_learns():
    lines = run(ROOT / "examples" / "digits_tape.py", "--epochs", "6").splitlines()
    epochs = [line for line in lines if line.startswith("epoch")]
    assert len(epochs) == 6
    losses = [float(re.findall(r"loss ([\d.]+)", line)[0]) for line in epochs]
    assert losses[-1] < 0.1 < losses[0]
    found = re.fullmatch(r"Test accuracy: ([\d.]+)%", lines[-1])
    assert found is not None
    assert float(found[1]) > 87
