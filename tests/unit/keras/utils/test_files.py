"""`get_file`: the path it returns, and archives, safe and unsafe."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tapeflow.keras.utils import get_file

pytestmark = pytest.mark.usefixtures("home")


def tar(*names: str, link: str | None = None) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 4
            archive.addfile(member, io.BytesIO(b"data"))
        if link is not None:
            member = tarfile.TarInfo("link")
            member.type, member.linkname = tarfile.SYMTYPE, link
            archive.addfile(member)
    return stream.getvalue()


def zipped(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "data")
    return stream.getvalue()


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_path_is_a_string(server: Any, home: Path) -> None:
    server.files["a.txt"] = b"text"
    digest = hashlib.md5(b"text").hexdigest()
    path = get_file("a.txt", server.url("a.txt"), md5_hash=digest, cache_subdir="mine")
    assert path == str(home / "mine" / "a.txt")
    assert get_file(origin=server.url("a.txt"), cache_subdir="mine") == path
    assert server.requests == ["a.txt"]


@pytest.mark.parametrize("fname", ["words", "words.tar.gz", None])
def test_untar_returns_what_is_inside(fname: str | None, server: Any, home: Path) -> None:
    server.files["words.tar.gz"] = tar("words/a.txt", "words/b/c.txt")
    path = get_file(fname, server.url("words.tar.gz"), untar=True)
    assert path == str(home / "datasets" / "words")
    assert names_in(home / "datasets") == [
        ".words.tar.gz.extracted.json",
        "words.tar.gz",
        "words/a.txt",
        "words/b/c.txt",
    ]


@pytest.mark.parametrize(("name", "body"), [("d.tar.gz", tar("d/a", "e")), ("d.zip", zipped("d/a", "e"))])
def test_extract_unpacks_beside_the_archive(name: str, body: bytes, server: Any, home: Path) -> None:
    server.files[name] = body
    folder = home / "datasets"
    (folder / "d").mkdir(parents=True)
    (folder / "d" / "kept").write_text("kept")
    assert get_file(name, server.url(name), extract=True) == str(folder / name)
    assert names_in(folder) == sorted([f".{name}.extracted.json", "d/a", "d/kept", name, "e"])
    assert get_file(name, server.url(name), extract=True) == str(folder / name), "and once more"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.tar.gz", tar("fine", "../outside")),
        ("a.tar.gz", tar("fine", link="/etc/passwd")),
        ("a.zip", zipped("fine", "../outside")),
        ("a.zip", zipped("fine", "/tmp/outside")),
    ],
)
def test_an_archive_may_not_reach_outside(name: str, body: bytes, server: Any, home: Path) -> None:
    server.files[name] = body
    with pytest.raises(
        ValueError, match=f"files that stay in its folder; got {name} with .* Nothing was extr"
    ):
        get_file(name, server.url(name), extract=True)
    assert names_in(home) == [f"datasets/{name}"]


def test_not_an_archive(server: Any, home: Path) -> None:
    server.files["page.zip"] = b"<html>moved</html>"
    with pytest.raises(
        ValueError, match=r"expected an archive to extract \(tar or zip\); got .*page.zip, which"
    ):
        get_file("page.zip", server.url("page.zip"), extract=True)
    assert get_file("page.zip", server.url("page.zip"), extract=True, archive_format=None)
    with pytest.raises(ValueError, match=r"expected an archive to extract \(tar\); got"):
        get_file("page.zip", server.url("page.zip"), extract=True, archive_format="tar")


def test_force_download(server: Any) -> None:
    server.files["a.txt"] = b"old"
    path = get_file("a.txt", server.url("a.txt"))
    server.files["a.txt"] = b"new"
    assert Path(get_file("a.txt", server.url("a.txt"))).read_bytes() == b"old"
    assert Path(get_file("a.txt", server.url("a.txt"), force_download=True)).read_bytes() == b"new"
    assert Path(path).read_bytes() == b"new"
