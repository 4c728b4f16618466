"""The members of archives, and the limits they are read under."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tapeflow.keras.utils.archive_members import (
    MEMBER_BYTES,
    MIN_LIMIT_BYTES,
    DamagedArchive,
    Limits,
    TooLarge,
    UnsafeMember,
    checked_name,
    members,
)


@pytest.mark.parametrize(
    ("name", "plain"), [("a", "a"), ("./a//b/", "a/b"), ("a/./b", "a/b"), (".", ""), ("a\\..", "a\\..")]
)
def test_names_are_brought_to_a_plain_form(name: str, plain: str) -> None:
    assert checked_name(name) == plain


@pytest.mark.parametrize("name", ["/a", "//a", "..", "a/../b", "a\0", "a/" * 65, "é" * 128])
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(UnsafeMember, match=r"with '.*', (which|whose)"):
        checked_name(name)


def test_limits() -> None:
    small, large = Limits(10), Limits(10 * MIN_LIMIT_BYTES)
    assert (small.limit_bytes, large.limit_bytes) == (MIN_LIMIT_BYTES, 2000 * MIN_LIMIT_BYTES)
    small.spend(MIN_LIMIT_BYTES)
    with pytest.raises(TooLarge, match=f"of 10 bytes, which unpacks to more than {MIN_LIMIT_BYTES} bytes"):
        small.spend(1)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_members_of_a_tar(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name in ("x", "tool"):
            member = tarfile.TarInfo(name)
            member.size, member.mode = 4, 0o755 if name == "tool" else 0o644
            archive.addfile(member, io.BytesIO(b"data"))
    limits = Limits(path.stat().st_size)
    found = members(path, ("zip", "tar"), limits)
    assert found is not None
    read = [(m.name, m.kind, m.is_executable, m.content.read()) for m in found if m.content]
    assert read == [("x", "file", False, b"data"), ("tool", "file", True, b"data")]
    limits.spend(limits.limit_bytes - 2 * MEMBER_BYTES)
    assert members(path, ("zip", "rar"), limits) is None


def test_members_of_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("d/", "")
        archive.writestr("d/x", "data")
    found = members(path, ("tar", "zip"), Limits(1))
    assert found is not None
    read = [(m.name, m.kind, m.content.read() if m.content else None) for m in found]
    assert read == [("d", "folder", None), ("d/x", "file", b"data")]


def test_a_damaged_zip(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", "data")
    path.write_bytes(path.read_bytes().replace(b"PK\3\4", b"PK\3\5"))
    with pytest.raises(DamagedArchive, match=r"which cannot be read \(Bad magic number"):
        list(members(path, ("zip",), Limits(1)) or ())
