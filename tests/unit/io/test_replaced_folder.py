"""Folders that are replaced whole. Attacks on them are in tests/security."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tapeflow.io import replaced_folder
from tapeflow.io.replaced_folder import ReplacedFolder, manifest_of


def _written(folder: Path) -> list[str]:
    return ["manifest", "data"] if "format" in manifest_of(folder, "manifest") else []


def _folder(path: Path) -> ReplacedFolder:
    return ReplacedFolder(str(path), "manifest", _written, "Saving")


def _filled(path: Path, text: str) -> ReplacedFolder:
    folder = _folder(path)
    place = folder.open()
    (place / "data").write_text(text)
    (place / "manifest").write_text('{"format": 1}')
    return folder


@pytest.mark.parametrize("at_once", [True, False])
def test_a_folder_takes_the_place_of_another(
    at_once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not at_once:
        monkeypatch.setattr(sys, "platform", "another")
    path = tmp_path / "folder"
    for text in ("old", "new"):
        _filled(path, text).commit()
        assert (path / "data").read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_left_of_what_is_discarded(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    folder = _filled(path, "half")
    folder.discard()
    folder.discard()
    assert not list(tmp_path.iterdir())
    path.mkdir()
    _filled(path, "half").discard()
    assert not list(path.iterdir())


def test_it_is_opened_first(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="expected a call of open"):
        _folder(tmp_path / "folder").commit()


@pytest.mark.parametrize("exists", [True, False])
def test_two_at_a_time(exists: bool, tmp_path: Path) -> None:
    path = tmp_path / "folder"
    if exists:
        path.mkdir()
    first, second = _filled(path, "first"), _filled(path, "second")
    first.commit()
    assert (path / "data").read_text() == "first"
    second.commit()
    assert (path / "data").read_text() == "second"
    assert sorted(os.listdir(path)) == ["data", "manifest"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("exists", [True, False])
def test_what_comes_while_it_is_written_stays(exists: bool, tmp_path: Path) -> None:
    path = tmp_path / "folder"
    if exists:
        path.mkdir()
    folder = _filled(path, "new")
    path.mkdir(exist_ok=True)
    (path / "notes").write_text("mine")
    with pytest.raises(FileExistsError, match="which holds 'notes'"):
        folder.commit()
    folder.discard()
    assert os.listdir(path) == ["notes"]
    assert list(tmp_path.iterdir()) == [path]


def test_what_comes_at_the_last_moment_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "folder"
    _filled(path, "old").commit()
    exchange: Callable[[Path, Path], None] = replaced_folder._exchange
    notes = iter([path / "notes"])

    def late(new: Path, old: Path) -> None:
        for note in notes:
            note.write_text("mine")
        exchange(new, old)

    monkeypatch.setattr(replaced_folder, "_exchange", late)
    folder = _filled(path, "new")
    with pytest.raises(FileExistsError, match="which holds 'notes'"):
        folder.commit()
    folder.discard()
    assert (path / "data").read_text() == "old"
    assert (path / "notes").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_change_places_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(new: Path, old: Path) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    path = tmp_path / "folder"
    _filled(path, "old").commit()
    monkeypatch.setattr(replaced_folder, "_exchange", busy)  # as for a mount point
    folder = _filled(path, "new")
    with pytest.raises(OSError, match="replaced as a whole: choose one inside it"):
        folder.commit()
    folder.discard()
    assert (path / "data").read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_long_lists_are_cut(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / str(number)).touch()
    with pytest.raises(FileExistsError, match="'0', '1', '2', '3', '4' and 4 more"):
        _folder(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 10**5, "\xff"])
def test_manifests_that_cannot_be_read_are_empty(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest").write_bytes(text.encode("latin-1"))
    assert manifest_of(tmp_path, "manifest") == {}
    assert manifest_of(tmp_path, "none") == {}
