"""Hostile archives given to `tf.keras.utils.get_file`, and the same ones to Keras 3."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tapeflow.keras.utils import archive_members, get_file

Entry = tuple[str, bytes | str, Any]  # a name, what it is, and its content or target
VICTIM = b"the user's"
MEGABYTE = 1 << 20
EXTRACTED = "x_extracted"  # where Keras 3 extracts x.data


def tar_of(entries: list[Entry], mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        for name, kind, value in entries:
            member = tarfile.TarInfo(name)
            member.type = kind if isinstance(kind, bytes) else tarfile.REGTYPE
            if member.type == tarfile.REGTYPE:
                member.size = len(value)
                archive.addfile(member, io.BytesIO(value))
            else:
                member.linkname = value or ""
                archive.addfile(member)
    return stream.getvalue()


def zip_of(entries: list[Entry]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, kind, value in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o120777 if kind == "link" else 0o100644) << 16
            archive.writestr(info, value, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


FILE, LINK, HARD, FOLDER = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE


def deep_links(outside: Path) -> list[Entry]:
    """CVE-2025-4517: links whose real path is longer than the system resolves, so that a filter sees no link."""
    folder, path, steps = "d" * 247, "", "abcdefghijklmnop"
    entries: list[Entry] = []
    for step in steps:
        entries += [(f"{path}{folder}", FOLDER, None), (f"{path}{step}", LINK, folder)]
        path += f"{folder}/"
    back = f"{'/'.join(steps)}/{'l' * 254}"
    entries += [
        (back, LINK, "../" * len(steps)),
        ("escape", LINK, f"{back}/../../../../../../../../../../../../../..{outside}"),
        ("escape/pwned", FILE, b"pwned"),
    ]
    return entries


TARS: dict[str, Callable[[Path], list[Entry]]] = {
    "parent": lambda out: [("../pwned", FILE, b"pwned")],
    "inner parent": lambda out: [("a/../../pwned", FILE, b"pwned")],
    "absolute": lambda out: [(f"{out}/pwned", FILE, b"pwned")],
    "CVE-2025-12060": lambda out: [("link", LINK, str(out)), ("link/pwned", FILE, b"pwned")],
    "through a link up": lambda out: [("link", LINK, ".."), ("link/pwned", FILE, b"pwned")],
    "through two links": lambda out: [
        ("a/b", FOLDER, None),
        ("a/b/up", LINK, ".."),
        ("out", LINK, "a/b/up/../.."),
        ("out/pwned", FILE, b"pwned"),
    ],
    "CVE-2025-4517": deep_links,
    "link overwritten": lambda out: [("x", LINK, f"{out}/victim"), ("x", FILE, b"pwned")],
    "link only": lambda out: [("x", LINK, f"{out}/victim")],
    "link to a neighbour": lambda out: [("x", LINK, "other.npz")],
    "link in a circle": lambda out: [("x", LINK, "y"), ("y", LINK, "x")],
    "hard link overwritten": lambda out: [("x", HARD, f"{out}/victim"), ("x", FILE, b"pwned")],
    "hard link to a link": lambda out: [
        ("s", LINK, f"{out}/victim"),
        ("x", HARD, "s"),
        ("x", FILE, b"pwned"),
    ],
    "device": lambda out: [("null", tarfile.CHRTYPE, None)],
    "fifo": lambda out: [("pipe", tarfile.FIFOTYPE, None)],
    "unknown kind": lambda out: [("thing", b"Q", None)],
    "file and folder": lambda out: [("x", FILE, b"a"), ("x/y", FILE, b"b")],
    "zero byte in a name": lambda out: [("é\0x", FILE, b"a")],
    "long name": lambda out: [("x" * 300, FILE, b"a")],
    "deep": lambda out: [("x/" * 900 + "y", FILE, b"a")],
    "a record": lambda out: [(".other.zip.extracted.json", FILE, b'["other.npz"]')],
}
ZIPS: dict[str, Callable[[Path], list[Entry]]] = {
    "zip parent": lambda out: [("../pwned", "file", b"pwned")],
    "zip absolute": lambda out: [(f"{out}/pwned", "file", b"pwned")],
    "zip through a link": lambda out: [("link", "link", str(out)), ("link/pwned", "file", b"pwned")],
}


def bomb_tar(outside: Path) -> bytes:
    """300 MB of zeros in 300 KB."""
    member = tarfile.TarInfo("zeros")
    member.size = 300 * MEGABYTE
    return gzip.compress(member.tobuf()) + gzip.compress(bytes(MEGABYTE)) * 300


RAW = {"tar bomb": bomb_tar}


def attack(name: str, outside: Path) -> bytes:
    if name in TARS:
        return tar_of(TARS[name](outside))
    return zip_of(ZIPS[name](outside)) if name in ZIPS else RAW[name](outside)


def files_below(folder: Path) -> Iterator[tuple[str, bytes | str]]:
    """Files and links, but for those in the folder where Keras extracts."""
    for root, folders, names in os.walk(folder):
        for path in (Path(root, name) for name in (*folders, *names)):
            if path.is_symlink():
                yield str(path.relative_to(folder)), str(path.readlink())
            elif path.is_file():
                yield str(path.relative_to(folder)), path.read_bytes()
        folders[:] = [name for name in folders if name != EXTRACTED]


class Cache:
    """A cache folder with another file in it, and the user's own file outside of it."""

    def __init__(self, root: Path) -> None:
        self.root, self.outside, self.folder = root, root / "outside", root / "home" / "datasets"
        self.outside.mkdir(parents=True)
        self.folder.mkdir(parents=True)
        (self.outside / "victim").write_bytes(VICTIM)
        (self.folder / "other.npz").write_bytes(VICTIM)

    def extract(self, name: str, data: bytes) -> str:
        (self.folder / name).write_bytes(data)
        return get_file(name, "http://127.0.0.1:9/", extract=True, cache_dir=self.root / "home")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path)


@pytest.mark.parametrize("name", [*TARS, *ZIPS, *RAW])
def test_a_hostile_archive_is_refused_and_nothing_is_written(name: str, cache: Cache) -> None:
    data = attack(name, cache.outside)
    (cache.folder / "x.data").write_bytes(data)
    before = dict(files_below(cache.root))
    with pytest.raises(ValueError, match=r"get_file expected .*; got x.data .*\. Nothing was extracted: "):
        cache.extract("x.data", data)
    assert dict(files_below(cache.root)) == before


KERAS_PROGRAM = """
import contextlib, json, os, sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
from keras.utils import get_file
verdicts = {}
for root in map(Path, sys.argv[1:]):
    try:
        get_file("x.data", "http://127.0.0.1:9/", extract=True, cache_dir=root / "home")
        outcome = "extracted"
    except Exception as error:
        outcome = type(error).__name__
    size = 0
    for folder, _, names in os.walk(root / "home" / "datasets" / "x_extracted"):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size
    verdicts[root.name] = [outcome, size]
print(json.dumps(verdicts))
"""


def test_the_same_archives_in_keras() -> None:
    with tempfile.TemporaryDirectory() as root:  # whose path is short, as CVE-2025-4517 needs it
        caches = {name: Cache(Path(root, name)) for name in [*TARS, *ZIPS, *RAW]}
        for name, made in caches.items():
            (made.folder / "x.data").write_bytes(attack(name, made.outside))
        before = {name: dict(files_below(made.root)) for name, made in caches.items()}
        done = subprocess.run(
            [sys.executable, "-c", KERAS_PROGRAM, *[str(made.root) for made in caches.values()]],
            env={**os.environ, "KERAS_BACKEND": "numpy"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        verdicts = json.loads(done.stdout.splitlines()[-1])
        failed = {
            name
            for name, made in caches.items()
            if dict(files_below(made.root)) != before[name] or verdicts[name][1] > 200 * MEGABYTE
        }
    version = sys.version_info
    is_patched = version >= (3, 13, 4) or (3, 12, 11) <= version < (3, 13) or (3, 11, 13) <= version < (3, 12)
    assert failed == {"tar bomb"} | (set() if is_patched else {"CVE-2025-4517"})


def test_bombs_of_other_kinds(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_members, "MIN_LIMIT_BYTES", 8 * MEGABYTE)
    zeros = bytes(3 * MEGABYTE)
    headers = tarfile.TarInfo("empty").tobuf() * 3000
    for data in (
        zip_of([("zeros", "file", zeros * 3)]),
        zip_of([(f"zeros-{i}", "file", zeros) for i in range(3)]),
        gzip.compress(headers),
        bz2.compress(headers),
        lzma.compress(headers),
        tar_of([(f"zeros-{i}", FILE, zeros) for i in range(3)]),
    ):
        with pytest.raises(
            ValueError, match=r"unpacks to at most 200 times its size; got x.data of .*unpack it you"
        ):
            cache.extract("x.data", data)
        assert sorted(os.listdir(cache.folder)) == ["other.npz", "x.data"]


def test_what_datasets_hold_is_extracted(cache: Cache) -> None:
    entries: list[Entry] = [
        ("./", FOLDER, None),
        ("./d", FOLDER, None),
        ("./d/a.txt", FILE, b"old"),
        ("./d/a.txt", FILE, b"new"),
        ("./d/sub/b.txt", FILE, b"b"),
        ("./d/hard", HARD, "./d/a.txt"),
        ("./d/link", LINK, "sub/b.txt"),
        ("./d/again", LINK, "link"),
        ("./d/sub/up", LINK, "../a.txt"),
        ("./d/folder", LINK, "sub"),
        (b"./d/caf\xe9".decode("utf-8", "surrogateescape"), FILE, b"latin"),
    ]
    for mode in ("w", "w:gz", "w:bz2", "w:xz"):
        cache.extract("x.data", tar_of(entries, mode))
        folder = cache.folder / "d"
        assert (folder / "a.txt").read_bytes() == (folder / "hard").read_bytes() == b"new"
        assert (folder / "again").read_bytes() == (folder / "folder" / "b.txt").read_bytes() == b"b"
        assert (folder / "sub" / "up").read_bytes() == b"new"
        assert (folder / "link").is_symlink()
        assert (cache.folder / os.fsdecode(b"d/caf\xe9")).read_bytes() == b"latin"


def test_bits_of_the_mode_are_not_taken_over(cache: Cache) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, mode in (("tool", 0o6777), ("data", 0o7666), ("secret", 0o000)):
            member = tarfile.TarInfo(name)
            member.mode, member.uid = mode, 12345
            archive.addfile(member)
    cache.extract("x.data", stream.getvalue())
    plain = cache.root / "plain"
    plain.touch()
    assert (cache.folder / "tool").stat().st_mode & 0o7777 == plain.stat().st_mode & 0o7777 | 0o111
    for name in ("data", "secret"):
        assert (cache.folder / name).stat().st_mode == plain.stat().st_mode
        assert (cache.folder / name).stat().st_uid == plain.stat().st_uid


@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_an_archive_replaces_no_files_but_its_own(make: Any, cache: Cache) -> None:
    cache.extract("mine.data", make([("mine/a", FILE, b"1"), ("b", FILE, b"1")]))
    cache.extract("mine.data", make([("mine/a", FILE, b"2"), ("mine/c", FILE, b"2")]))
    assert (cache.folder / "mine" / "a").read_bytes() == b"2", "a new version of the same archive"
    before = dict(files_below(cache.folder))
    for name in ("other.npz", "mine/a", "b", "mine.data", "x.data", ".mine.data.extracted.json"):
        with pytest.raises(ValueError, match=r"Nothing was extracted"):
            cache.extract("x.data", make([("new", FILE, b"new"), (name, FILE, b"pwned")]))
        (cache.folder / "x.data").unlink()
        assert dict(files_below(cache.folder)) == before
    with pytest.raises(
        ValueError, match=r"replaces no files but its own; got x.data with 'mine', where there is so"
    ):
        cache.extract("x.data", make([("mine", FILE, b"pwned")]))
    with pytest.raises(
        ValueError, match=r"got x.data with 'b', where there is something else.* delete or rename"
    ):
        cache.extract("x.data", make([("b/c", FILE, b"pwned")]))
    cache.extract("x.data", make([("other.npz", FILE, VICTIM), ("mine/d", FILE, b"new")]))
    assert (cache.folder / "mine" / "d").read_bytes() == b"new", (
        "the same bytes, and a new file, may be there"
    )
    with pytest.raises(ValueError, match=r"replaces no files but its own; got x.data with 'other.npz'"):
        cache.extract("x.data", make([("other.npz", FILE, b"pwned")]))


@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_links_in_the_cache_are_not_written_through(make: Any, cache: Cache) -> None:
    (cache.folder / "folder").symlink_to(cache.outside)
    (cache.folder / "file").symlink_to(cache.outside / "victim")
    (cache.folder / "dangling").symlink_to(cache.outside / "new")
    before = dict(files_below(cache.outside))
    with pytest.raises(ValueError, match=r"got x.data with 'folder', where there is a link"):
        cache.extract("x.data", make([("folder/pwned", FILE, b"pwned")]))
    for name in ("file", "dangling"):
        with pytest.raises(ValueError, match=f"got x.data with '{name}', where there is another file"):
            cache.extract("x.data", make([(name, FILE, b"pwned")]))
    assert dict(files_below(cache.outside)) == before


def pax_header(size: int, kind: bytes = tarfile.XHDTYPE) -> bytes:
    member = tarfile.TarInfo("header")
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


def pax_records(**records: str) -> bytes:
    body = b""
    for key, value in records.items():
        text = f" {key}={value}\n".encode()
        length = len(text) + 1
        length += len(str(length)) - 1
        length = len(text) + len(str(length))
        body += str(length).encode() + text
    return pax_header(len(body)) + body + bytes(-len(body) % 512)


CROOKED_TARS = {
    "header bomb": pax_header(4 << 30) + bytes(MEGABYTE),
    "name bomb": pax_header(4 << 30, tarfile.GNUTYPE_LONGNAME) + bytes(MEGABYTE),
    "nested headers": pax_header(0) * 2000 + tarfile.TarInfo("x").tobuf(),
    "negative size": pax_records(size="-512") + tarfile.TarInfo("x").tobuf(),
    "negative header": pax_header(-512) + bytes(1024),
    "sparse": pax_records(**{"GNU.sparse.major": "0", "GNU.sparse.map": "0,1", "GNU.sparse.size": "9" * 12})
    + tarfile.TarInfo("x").tobuf(),
    "zero byte": pax_records(path="a\0b") + tarfile.TarInfo("x").tobuf(),
    "huge size": pax_records(size="9" * 18) + tarfile.TarInfo("x").tobuf(),
    "damaged header": tarfile.TarInfo("x").tobuf().replace(b"ustar", b"xxxxx"),
}


@pytest.mark.parametrize("name", CROOKED_TARS)
@pytest.mark.parametrize("is_first", [True, False])
def test_crooked_headers(name: str, is_first: bool, cache: Cache) -> None:
    good = tarfile.TarInfo("good").tobuf()
    data = CROOKED_TARS[name] if is_first else good + CROOKED_TARS[name]
    with pytest.raises(ValueError, match=r"get_file expected "):
        cache.extract("x.data", data + bytes(1024))
    assert sorted(os.listdir(cache.folder)) == ["other.npz", "x.data"]


def test_many_global_headers(cache: Cache) -> None:
    body = b"".join(b"%d k%d=v\n" % (len(f"{i}") + 7, i) for i in range(100, 2000))
    header = pax_header(len(body), tarfile.XGLTYPE) + body + bytes(-len(body) % 512)
    with pytest.raises(ValueError, match=r"got x.data which has too many global headers"):
        cache.extract("x.data", header + tarfile.TarInfo("x").tobuf() + bytes(1024))


def test_the_limit_grows_with_the_archive(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_members, "MIN_LIMIT_BYTES", MEGABYTE // 8)
    noise = random.Random(0).randbytes(MEGABYTE // 4)
    cache.extract("large.data", zip_of([("large", "file", noise)]))
    copies = [("large2", FILE, noise), *[(f"copy{i}", HARD, "large2") for i in range(300)]]
    with pytest.raises(
        ValueError, match=r"unpacks to at most 200 times its size; got x.data of .*unpack it yourself"
    ):
        cache.extract("x.data", tar_of(copies))


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
@pytest.mark.parametrize("count", [60, pytest.param(5000, marks=pytest.mark.slow)])
def test_mutated_archives(kind: str, count: int, cache: Cache) -> None:
    entries: list[Entry] = [(f"d/{i}", FILE, bytes([i]) * 40 * i) for i in range(12)]
    entries += [("d/link", LINK, "3"), ("d/hard", HARD, "d/4")] if kind != "zip" else []
    good = zip_of(entries) if kind == "zip" else tar_of(entries, "w" if kind == "tar" else "w:gz")
    draw = random.Random(count)
    refused = 0
    for _ in range(count):
        data = bytearray(good)
        for _ in range(draw.choice((1, 1, 2, 8))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if draw.random() < 0.1:
            del data[draw.randrange(len(data)) :]
        try:
            cache.extract("x.data", bytes(data))
        except ValueError as error:
            if not str(error).startswith("tf.keras.utils.get_file expected"):
                raise
            refused += 1
    assert refused > count / 4
    assert sorted(os.listdir(cache.root)) == ["home", "outside"]
    assert dict(files_below(cache.outside)) == {"victim": VICTIM}
    assert (cache.folder / "other.npz").read_bytes() == VICTIM
    assert not [name for name in os.listdir(cache.folder) if name.endswith(".tmp")]
