"""Paths that users give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow.keras.saving.destination import as_path


def test_paths() -> None:
    assert as_path("~", "f") == Path.home()
    assert as_path(b"a/b", "f") == Path("a/b")
    with pytest.raises(TypeError, match="f expected a path; got filepath=None"):
        as_path(None, "f")
