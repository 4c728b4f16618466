"""A copy of a log folder elsewhere: what is read, what is appended, and what is not taken."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from tapeflow.board.remote import mirror as module
from tapeflow.board.remote.mirror import Mirror

EVENTS = "run/a.tfevents"


class Recorded:
    """A file system in memory that notes what is read of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files = fsspec.filesystem("memory")
        self.read: list[tuple[str, int, int]] = []
        kind, real = type(self.files), type(self.files).cat_ranges

        def cat_ranges(
            this: Any, paths: list[str], starts: list[int], ends: list[int], **options: Any
        ) -> Any:
            names = [path.removeprefix("/logs/") for path in paths]
            self.read += zip(names, starts, ends, strict=True)
            return real(this, paths, starts, ends, **options)

        monkeypatch.setattr(kind, "cat_ranges", cat_ranges)

    def put(self, name: str, data: bytes) -> None:
        self.files.pipe_file(f"/logs/{name}", data)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    recorded = Recorded(monkeypatch)
    yield recorded
    recorded.files.store.clear()


@pytest.fixture
def mirror(memory: Recorded, tmp_path: Path) -> Mirror:
    return Mirror("memory://logs", str(tmp_path / "mirror"))


def copied(mirror: Mirror) -> dict[str, bytes]:
    files = mirror.files
    return {p.relative_to(files).as_posix(): p.read_bytes() for p in files.rglob("*") if p.is_file()}


def test_only_new_bytes_are_read(memory: Recorded, mirror: Mirror, tmp_path: Path) -> None:
    memory.put(EVENTS, b"x" * 1000)
    memory.put("run/model.bin", b"y" * 1000)
    mirror.sync()
    mirror.sync()
    assert copied(mirror) == {EVENTS: b"x" * 1000}
    assert memory.read == [(EVENTS, 0, 1000)]
    memory.put(EVENTS, b"x" * 1000 + b"z" * 10)
    inode = (mirror.files / EVENTS).stat().st_ino
    mirror.sync()
    assert memory.read[1:] == [(EVENTS, 1000 - 64, 1010)]
    assert copied(mirror) == {EVENTS: b"x" * 1000 + b"z" * 10}
    assert (mirror.files / EVENTS).stat().st_ino == inode
    again = Mirror("memory://logs", str(tmp_path / "mirror"))
    again.sync()
    assert memory.read[2:] == []


def test_large_files_come_in_pieces(
    memory: Recorded, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PIECE", 400)
    data = os.urandom(1000)
    memory.put(EVENTS, data)
    mirror.sync()
    assert copied(mirror) == {EVENTS: data}
    assert [(start, end) for _, start, end in memory.read] == [(0, 400), (400, 800), (800, 1000)]


@pytest.mark.parametrize("data", [b"b" * 1500, b"b" * 1000, b"b" * 10, b""])
def test_a_file_that_was_written_anew(memory: Recorded, mirror: Mirror, data: bytes) -> None:
    memory.put(EVENTS, b"a" * 1000)
    mirror.sync()
    time.sleep(0.01)  # the store's clock tells the two apart
    memory.put(EVENTS, data)
    mirror.sync()
    assert copied(mirror) == ({EVENTS: data} if data else {})


def test_what_has_gone_goes(memory: Recorded, mirror: Mirror) -> None:
    memory.put(EVENTS, b"a")
    memory.put("other/b.tfevents", b"b")
    mirror.sync()
    memory.files.rm("/logs/run", recursive=True)
    mirror.sync()
    assert copied(mirror) == {"other/b.tfevents": b"b"}
    assert not (mirror.files / "run").exists()
    memory.files.store.clear()
    mirror.sync()
    assert copied(mirror) == {}


def test_a_file_that_goes_while_it_is_listed(memory: Recorded, mirror: Mirror, monkeypatch: Any) -> None:
    memory.put(EVENTS, b"a" * 100)
    memory.put("b.tfevents", b"b")
    real = module.listed

    def listed(storage: Any) -> Any:
        found = real(storage)
        memory.files.rm(f"/logs/{EVENTS}")
        monkeypatch.setattr(module, "listed", real)
        return found

    monkeypatch.setattr(module, "listed", listed)
    mirror.sync()
    assert copied(mirror) == {"b.tfevents": b"b"}


def test_a_file_that_shrinks_while_it_is_listed(memory: Recorded, mirror: Mirror, monkeypatch: Any) -> None:
    memory.put(EVENTS, b"a" * 100)
    real = module.listed

    def listed(storage: Any) -> Any:
        found = real(storage)
        memory.put(EVENTS, b"b" * 50)
        monkeypatch.setattr(module, "listed", real)
        return found

    monkeypatch.setattr(module, "listed", listed)
    mirror.sync()
    mirror.sync()
    assert copied(mirror) == {EVENTS: b"b" * 50}


def test_names_that_are_no_paths(memory: Recorded, mirror: Mirror, tmp_path: Path) -> None:
    memory.put(EVENTS, b"a")
    store = memory.files.store
    for name in ("/logs/../../x.tfevents", "/logs/a\\..\\x.tfevents", f"/logs/{'x' * 250}.tfevents"):
        store[name] = store[f"/logs/{EVENTS}"]
    mirror.sync()
    assert copied(mirror) == {EVENTS: b"a"}
    assert mirror.left_out == 3
    assert [p.name for p in tmp_path.iterdir()] == ["mirror"]


def test_a_file_in_the_way_of_a_folder(memory: Recorded, mirror: Mirror) -> None:
    memory.put("a.tfevents", b"a")
    memory.files.store["/logs/a.tfevents/b.tfevents"] = memory.files.store["/logs/a.tfevents"]
    mirror.sync()
    mirror.sync()
    assert mirror.left_out == 1
    assert len(copied(mirror)) == 1
    assert len(memory.read) == 2  # not again at every look


def test_a_state_that_was_lost(memory: Recorded, mirror: Mirror, tmp_path: Path) -> None:
    memory.put(EVENTS, b"a" * 1000)
    mirror.sync()
    (tmp_path / "mirror" / "state.json").write_text("[1")
    again = Mirror("memory://logs", str(tmp_path / "mirror"))
    again.sync()
    assert memory.read[1:] == [(EVENTS, 1000 - 64, 1000)]
    assert copied(again) == {EVENTS: b"a" * 1000}


def test_s3(s3: str, s3_files: Any, tmp_path: Path) -> None:
    mirror = Mirror(f"{s3}/logs", str(tmp_path / "mirror"))
    mirror.sync()  # there is nothing yet
    for name, data in ((EVENTS, b"a" * 1000), ("b.tfevents", b""), ("run/weights", b"c")):
        s3_files.pipe_file(f"{s3}/logs/{name}", data)
    mirror.sync()
    assert copied(mirror) == {EVENTS: b"a" * 1000}
    s3_files.pipe_file(f"{s3}/logs/{EVENTS}", b"a" * 1000 + b"b")
    mirror.sync()
    assert copied(mirror) == {EVENTS: b"a" * 1000 + b"b"}
    s3_files.pipe_file(f"{s3}/logs/{EVENTS}", b"c" * 1001)
    mirror.sync()
    assert copied(mirror) == {EVENTS: b"c" * 1001}
    with pytest.raises(OSError, match="bucket"):
        Mirror(f"{s3}-missing/logs", str(tmp_path / "other")).sync()


def test_sftp(sftp: tuple[str, Path], tmp_path: Path) -> None:
    address, served = sftp
    path = served / "logs" / EVENTS
    path.parent.mkdir(parents=True)
    path.write_bytes(b"a" * 1000)
    (served / "logs" / "link.tfevents").symlink_to("/etc/passwd")
    os.utime(path, (1.7e9, 1.7e9))
    mirror = Mirror(f"{address}/logs", str(tmp_path / "mirror"))
    mirror.sync()
    assert (mirror.files / EVENTS).stat().st_mtime == 1.7e9
    assert copied(mirror) == {EVENTS: b"a" * 1000}
    with path.open("ab") as file:
        file.write(b"b")
    mirror.sync()
    assert copied(mirror) == {EVENTS: b"a" * 1000 + b"b"}
    path.parent.chmod(0)
    if os.getuid():
        with pytest.raises(PermissionError):
            mirror.sync()  # what cannot be listed is not taken for gone
    path.parent.chmod(0o700)
    assert copied(mirror) == {EVENTS: b"a" * 1000 + b"b"}


def test_a_web_server_that_knows_no_ranges(tmp_path: Path) -> None:
    import functools
    import http.server
    import threading

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    folder = tmp_path / "served" / "logs" / "run 1"
    folder.mkdir(parents=True)
    (folder / "a.tfevents").write_bytes(b"a" * 1000)
    handler = functools.partial(Handler, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        mirror = Mirror(f"http://127.0.0.1:{server.server_port}/logs", str(tmp_path / "mirror"))
        mirror.sync()
        with (folder / "a.tfevents").open("ab") as file:
            file.write(b"b")
        mirror.sync()
        server.shutdown()
    assert copied(mirror) == {"run 1/a.tfevents": b"a" * 1000 + b"b"}
    with pytest.raises(OSError, match="127.0.0.1"):
        mirror.sync()
