"""The Python in the documents runs as it is written, block after block."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
RUN = ["tune.md", "tutorial.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", RUN)
def test_the_code_of_a_document_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / name).read_text()
    around: dict[str, object] = {"__name__": "document"}
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(1))
        exec(compile("\n" * line + match[1], DOCS / name, "exec"), around)
