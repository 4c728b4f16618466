"""Files that are replaced whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow.keras.saving.atomic import as_path, replacing


def test_the_new_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
        assert temporary.parent == path.parent
    assert path.read_text() == "new"
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]


def test_paths() -> None:
    assert as_path("~", "f") == Path.home()
    assert as_path(b"a/b", "f") == Path("a/b")
    with pytest.raises(TypeError, match="f expected a path; got filepath=None"):
        as_path(None, "f")
