"""The documents make a site, and no link in them leads nowhere."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow.compat.differences import DIFFERENCES
from tapeflow.compat.public import names

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with warnings as errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def reference(site: Path, page: str) -> str:
    return (site / "api" / f"{page}.html").read_text("utf-8")


def plain(page: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]+>", "", page)).split())


def test_every_document_is_a_page(site: Path) -> None:
    pages = {page.stem for page in site.glob("*.html")}
    assert pages >= {document.stem for document in (ROOT / "docs").glob("*.md")}


def test_the_reference_has_signature_arguments_and_example(site: Path) -> None:
    layers = reference(site, "tf.keras.layers")
    dense = (
        plain(layers).partition("tf.keras.layers.Dense\N{PILCROW SIGN}")[2].partition("\N{PILCROW SIGN}")[0]
    )
    assert "class tf.keras.layers.Dense( units, activation=None, use_bias=True," in dense
    assert "<code>units</code>:" in layers
    assert ">>> tf.keras.layers.Dense(3)(tf.zeros((2, 4))).shape TensorShape([2, 3])" in dense
    assert "Inherited from tf.keras.Layer: " in dense
    assert "fit(x=None, y=None, batch_size=None, epochs=1," in plain(reference(site, "tf.keras"))
    assert "tf.dtypes.half tf.float16" in plain(reference(site, "tf.dtypes"))


def test_the_reference_tells_each_difference_from_tensorflow(site: Path) -> None:
    listed = names()
    for name, how in DIFFERENCES.items():
        space, _, last = name.rpartition(".")
        if last in listed.get(space, ()):
            page = reference(site, space)
            told = plain(page).partition(f"{name}\N{PILCROW SIGN}")[2].partition("\N{PILCROW SIGN}")[0]
            assert f"Differs from TensorFlow {how[0].upper()}{how[1:]}.".replace("`", "") in told, name


def test_the_search_finds_a_name_by_its_last_part(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    words = re.split(index["config"]["separator"], "tf.keras.layers.Dense")
    assert "Dense" in words
    assert "tf.keras.layers.Dense" in {html.unescape(entry["title"]) for entry in index["docs"]}
    boosts = {entry["location"]: entry.get("boost", 1) for entry in index["docs"]}
    pages = ("fit.html", "api/tf.keras.layers.html", "api/tf.keras.applications.densenet.html")
    assert [boosts[page] for page in pages] == sorted((boosts[page] for page in pages), reverse=True)
    assert len({boosts[page] for page in pages}) == 3
