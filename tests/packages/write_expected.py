"""Note what the programs give with TensorFlow 2.15, in an environment that has it: `write_expected.py [NAME ...]`."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json"


def main(names: list[str]) -> None:
    """Run the programs named, or all, and add their numbers to those there are."""
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for name in names or sorted(path.stem.rstrip("_") for path in (HERE / "programs").glob("*_.py")):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(HERE / "programs" / f"{name}_.py")]
            printed = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True).stdout
        expected[name] = ast.literal_eval(printed.splitlines()[-1].removeprefix("result "))
    EXPECTED.write_text(json.dumps(rounded(expected), indent=1, sort_keys=True) + "\n")


def rounded(value: object) -> object:
    """Numbers to seven digits, in any structure."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main(sys.argv[1:])
