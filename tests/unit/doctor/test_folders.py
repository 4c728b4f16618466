from __future__ import annotations

import os
from pathlib import Path

import pytest

from tapeflow.doctor import folders
from tapeflow.doctor.finding import Finding, State


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Caches and a page of its own."""
    for name in ("TAPEFLOW_CACHE", "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "keras"))
    monkeypatch.setattr(folders, "STATIC", tmp_path / "static")
    monkeypatch.setattr(folders, "WEB", tmp_path / "web")
    return tmp_path


def examined() -> dict[str, Finding]:
    return {one.name: one for one in folders.examine()}


def test_where_caches_are_how_large_and_how_to_clear_them(home: Path) -> None:
    cache = home / "cache" / "tapeflow" / "xla"
    assert examined()["compiled programs"].value == f"{cache}, not there yet"
    cache.mkdir(parents=True)
    (cache / "program").write_bytes(bytes(3 << 20))
    found = examined()
    assert found["compiled programs"].value == f"{cache}, 3.0 MiB in 1 files; to clear it: rm -r {cache}"
    assert found["writing to it"].value.endswith(" MB/s")
    assert found["data sets"].value == f"{home}/keras/datasets, not there yet"
    assert list(cache.iterdir()) == [cache / "program"]


def test_a_cache_that_is_switched_off(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPEFLOW_CACHE", "off")
    found = examined()["compiled programs"]
    assert (found.value, found.state) == ("not kept", State.SLOW)
    assert "unset TAPEFLOW_CACHE" in found.remedy


def test_a_cache_that_cannot_be(home: Path) -> None:
    expected = (f"{home}/cache/tapeflow/xla cannot be written to", State.SLOW)
    (home / "cache").touch()
    found = examined()["compiled programs"]
    assert (found.value, found.state) == expected
    (home / "cache").unlink()
    (home / "cache" / "tapeflow").mkdir(parents=True)
    (home / "cache" / "tapeflow" / "xla").touch()
    found = examined()["compiled programs"]
    assert (found.value, found.state) == expected


def test_a_cache_that_has_grown_large(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_LARGE_BYTES", 10)
    cache = home / "cache" / "tapeflow" / "xla"
    cache.mkdir(parents=True)
    (cache / "program").write_bytes(bytes(11))
    assert examined()["compiled programs"].remedy == f"It has grown large: rm -r {cache}"


def test_the_page(home: Path) -> None:
    found = examined()["board's page"]
    assert (found.value, found.state) == ("not built", State.BROKEN)
    assert "pip install" in found.remedy
    (home / "web" / "src").mkdir(parents=True)
    assert examined()["board's page"].remedy == f"In {home}: make board"
    (home / "static").mkdir()
    (home / "static" / "index.html").touch()
    assert examined()["board's page"].value == f"built, in {home}/static"
    (home / "web" / "src" / "main.tsx").touch()
    os.utime(home / "static" / "index.html", (1, 1))
    assert examined()["board's page"].value == "older than what it is built from"
