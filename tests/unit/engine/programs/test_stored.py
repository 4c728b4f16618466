"""Tests for tapeflow.engine.programs.stored: compiled programs on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow.engine.programs.cache import most_cached_bytes
from tapeflow.engine.programs.stored import StoredPrograms

PROGRAM = """
import warnings
warnings.simplefilter("error")
import tapeflow as tf
print(float(tf.function(lambda x: tf.reduce_sum(tf.exp(x)))(tf.ones((70, 70)))))
"""


def test_programs_are_kept_and_replaced(tmp_path: Path) -> None:
    store = StoredPrograms(str(tmp_path / "new"), 1000)
    assert store.get("a") is None
    store.put("a", b"1")
    store.put("a", b"23")
    assert store.get("a") == b"23"
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["a-cache"]


def test_those_used_longest_ago_are_deleted(tmp_path: Path) -> None:
    store = StoredPrograms(str(tmp_path), 1000)
    for age, name in enumerate("abcdefgh"):
        store.put(name, bytes(200))
        os.utime(tmp_path / f"{name}-cache", (1000 - age, 1000 - age))  # the first is the youngest
    assert store.get("h") is not None  # and is the youngest now
    StoredPrograms(str(tmp_path), 1000).put("i", bytes(200))
    assert sorted(file.name[0] for file in tmp_path.iterdir()) == ["a", "h", "i"]


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = StoredPrograms(str(tmp_path), 1000)
    store.put("a", b"1")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        store.put("a", b"2")
    assert [file.name for file in tmp_path.iterdir()] == ["a-cache"]
    assert store.get("a") == b"1"


def test_a_damaged_program_is_compiled_again_and_replaced(tmp_path: Path) -> None:
    environment = os.environ | {"TAPEFLOW_CACHE": str(tmp_path)}

    def run(source: str = PROGRAM) -> str:
        done = subprocess.run(
            [sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    told = run()
    whole = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert whole
    for file, content in whole.items():
        file.write_bytes(content[: len(content) // 2])
    assert run(PROGRAM.replace('"error"', '"ignore"')) == told
    assert {file: len(file.read_bytes()) for file in tmp_path.iterdir()}.keys() == whole.keys()
    assert run() == told  # with warnings as errors: nothing is damaged any more


@pytest.mark.parametrize("given", ["0", "-1", "much", "1.5"])
def test_a_limit_that_is_no_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPEFLOW_CACHE_MB", given)
    with pytest.raises(
        ValueError, match=f"expected a whole number of megabytes .*; got TAPEFLOW_CACHE_MB='{given}'"
    ):
        most_cached_bytes()


def test_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAPEFLOW_CACHE_MB", raising=False)
    assert most_cached_bytes() == 2 << 30
    monkeypatch.setenv("TAPEFLOW_CACHE_MB", "10")
    assert most_cached_bytes() == 10 << 20
