"""Programs in the style of the packages' READMEs, as they are, without TensorFlow: the same numbers as with it.

`make test-packages` runs them in an environment of their own. The numbers are those of TensorFlow 2.15, which
`write_expected.py` has noted; what is random is checked by the programs themselves.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.compat.packages import PACKAGES

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*_.py"))
EXPECTED: dict[str, Any] = json.loads((HERE / "expected.json").read_text())
PREFIX = "result "

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem.rstrip("_"))
def test_gives_what_it_gives_with_tensorflow(
    program: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    name = program.stem.rstrip("_")
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed: make test-packages")
    known = PACKAGES.get(name)
    if known is not None and not known.is_working:
        request.applymarker(pytest.mark.xfail(reason=known.note))
    command = [sys.executable, "-m", "tapeflow.cli", "run", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith(PREFIX)
    if name not in EXPECTED:
        return
    found, expected = ast.literal_eval(last.removeprefix(PREFIX)), EXPECTED[name]
    assert sorted(found) == sorted(expected)
    for key, numbers in expected.items():
        np.testing.assert_allclose(found[key], numbers, rtol=2e-3, atol=2e-4, err_msg=f"{name}: {key}")
