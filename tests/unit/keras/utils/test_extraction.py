"""Where extracted files go, and the record of which archive wrote them. Attacks are in `tests/security`."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tapeflow.keras.utils.extraction import extract_archive


def zipped(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return path


def test_the_record_tells_what_an_archive_wrote(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", d__x="1", y="1")
    extract_archive(path, ("zip",), "here")
    record = tmp_path / ".a.zip.extracted.json"
    assert json.loads(record.read_text()) == ["d/x", "y"]
    extract_archive(zipped(path, d__z="2", y="2"), ("zip",), "here")
    assert json.loads(record.read_text()) == ["d/x", "d/z", "y"]
    assert [(tmp_path / name).read_text() for name in ("d/x", "d/z", "y")] == ["1", "2", "2"]


@pytest.mark.parametrize("text", ["{", "3", "[3]", "{}"])
def test_a_record_that_cannot_be_read_counts_as_none(text: str, tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", x="1")
    extract_archive(path, ("zip",), "here")
    (tmp_path / ".a.zip.extracted.json").write_text(text)
    extract_archive(path, ("zip",), "here")
    with pytest.raises(
        ValueError, match=r"here expected an archive that replaces no files but its own; got a.zip wi"
    ):
        extract_archive(zipped(path, x="2"), ("zip",), "here")
    assert (tmp_path / "x").read_text() == "1"


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    path = zipped(tmp_path / "a.zip", x="1")
    monkeypatch.setattr("os.fdopen", full)
    with pytest.raises(OSError, match="No space left on device"):
        extract_archive(path, ("zip",), "here")
    assert [p.name for p in tmp_path.iterdir()] == ["a.zip"]
