"""The documents make a site, and no link in them leads nowhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {page.stem for page in tmp_path.glob("*.html")}
    assert pages >= {document.stem for document in (ROOT / "docs").glob("*.md")}
    layers = (tmp_path / "api" / "tf.keras.layers.html").read_text("utf-8")
    assert "class tf.keras.layers.Dense(" in re.sub("<[^>]+>", "", layers)
    assert "<code>units</code>:" in layers
