"""What has been read, kept on disk for the next start, in the user's cache folder.

A file for each run: a head in JSON, then the columns as they are in memory, so that large ones are mapped, not read. It
is used only if the event files have not changed since, or still begin with what it was made of; then reading goes on
where it ended.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import logging
import mmap
import os
import re
import struct
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import orjson

from tapeflow.board import snapshot
from tapeflow.board.health.rules import Finding
from tapeflow.board.logdirs import FileStatus, Leaves
from tapeflow.board.outline import outlines_of
from tapeflow.board.runs import Run, signature, size_in
from tapeflow.board.series import ENTRY_COLUMNS, SCALAR_COLUMNS, Columns, Series
from tapeflow.board.store import Store
from tapeflow.summary.event_files.reader import Damage, EventFileReader, Position, open_regular

_MAGIC = b"TFI1"
_SUFFIX, _SNAPSHOT = ".tfi", ".tfs"
_NAME = re.compile(r"[0-9a-f]{32}\.tf[is]|tmp\w+\.part")
_KEPT_S = 90 * 86400.0
_TOUCHED_S = 86400.0
_MOST_READ = 1 << 16  # larger ones are mapped; a process may map only so many files (65,530 on Linux)
_log = logging.getLogger("tapeflow.board")
Answers = Mapping[str, Callable[[Store], bytes]]


class Index:
    """The indexes in one folder; with None as folder, nothing is kept. `version` is that of who writes them."""

    def __init__(self, folder: str | None, version: str = "") -> None:
        self.folder = folder
        self.version = version
        self._is_failing = False

    def _path(self, run: Run) -> str:
        key = hashlib.blake2s(os.fsencode(run.found.folder), digest_size=16).hexdigest()
        return os.path.join(self.folder or "", key + _SUFFIX)

    def load(self, run: Run) -> Kept | None:
        """What is kept of a run; None if there is nothing, or it does not fit the files any more."""
        if self.folder is None or run.is_checked:
            return None
        try:
            with open(self._path(run), "rb") as file:
                status = os.fstat(file.fileno())
                data = _content(file, status.st_size)
            head, at = _head(data)
            if not _fits(run, head["files"]):
                return None
            columns = data[at:] if isinstance(data, memoryview) else memoryview(data[at:])
            kept = _kept(head, columns)
            if time.time() - status.st_mtime > _TOUCHED_S:
                os.utime(self._path(run))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
            _log.debug("an index of %r is not used: %s", run.name, error)
            return None
        return kept

    def save(self, run: Run) -> None:
        """Keep what has been read of a run."""
        is_saved = run.bytes_read == run.bytes_saved and run.judged == run.judged_saved
        if self.folder is None or run.state != "ready" or is_saved:
            return
        if self._write(self._path(run), lambda: _parts(run)):
            run.bytes_saved, run.judged_saved = run.bytes_read, run.judged

    def _write(self, path: str, make: Callable[[], list[bytes | memoryview]]) -> bool:
        """Put a file in its place, as a whole or not at all."""
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            parts = make()
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as file:
                try:
                    file.writelines(parts)
                    file.close()
                    os.replace(file.name, path)
                except OSError:
                    os.unlink(file.name)  # or a disk that is full stays so
                    raise
        except (OSError, orjson.JSONEncodeError) as error:  # the latter: a path that is no text
            if not self._is_failing:
                _log.warning("the index in %s cannot be written: %s", self.folder, error)
            self._is_failing = True
            return False
        return True

    # All runs at once

    def _snapshot_path(self, key: list[Any]) -> str:
        name = hashlib.blake2s(repr(key).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        return os.path.join(self.folder or "", name + _SNAPSHOT)

    def open_snapshot(self, store: Store, loader: snapshot.Loader) -> snapshot.Opened | None:
        """The runs of a store as they were at the last start; None if nobody knows."""
        if self.folder is None:
            return None
        key = self._key(store)
        try:
            return snapshot.read(self._snapshot_path(key), key, store.logdirs, loader)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            _log.debug("a snapshot in %s is not used: %s", self.folder, error)
            return None

    def save_snapshot(self, store: Store, leaves: Leaves, answers: Answers) -> None:
        """Keep what is known of the runs of a store, and the answers that tell of all of them."""
        if self.folder is None:
            return
        key = self._key(store)
        with store.lock:
            runs = store.ordered_runs()
            outlines_of(runs)
        self._write(
            self._snapshot_path(key),
            lambda: snapshot.pack(
                key,
                store.logdirs,
                runs,
                leaves,
                lambda: {name: make(store) for name, make in answers.items()},
                store.sizes(),
            ),
        )

    def _key(self, store: Store) -> list[Any]:
        return snapshot.key_of(store.logdirs, [panel.name for panel in store.panels], self.version)

    def prune(self) -> None:
        """Remove what nobody has used for a season."""
        if self.folder is None or not os.path.isdir(self.folder):
            return
        for entry in os.scandir(self.folder):
            with contextlib.suppress(FileNotFoundError):  # another board may remove it at the same time
                if _NAME.fullmatch(entry.name) and time.time() - entry.stat().st_mtime > _KEPT_S:
                    os.unlink(entry.path)


def _content(file: BinaryIO, size: int) -> bytes | memoryview:
    """The bytes of an index: read if there are few, else mapped."""
    if size <= _MOST_READ:
        return file.read()
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _fits(run: Run, files: list[dict[str, Any]]) -> bool:
    """Whether the files of an index are those of the run, grown or not."""
    for kept in files:
        status = run.found.files.get(kept["path"])
        if status is not None and _is_unchanged(status, kept):
            continue
        position = _position(kept)
        if status is None or position.identity != (status.st_dev, status.st_ino):
            return False
        with open_regular(kept["path"], follows_links=False) as file:
            file.seek(position.offset - len(position.tail))
            if file.read(len(position.tail)) != position.tail:
                return False
    return True


def _is_unchanged(status: FileStatus, kept: dict[str, Any]) -> bool:
    """Whether a file is as it was when it was last read, so that it need not be opened."""
    return signature(status) == tuple(kept.get("signature", ()))


def _position(kept: dict[str, Any]) -> Position:
    tail = base64.b64decode(kept["tail"])
    device, number = kept["identity"]
    return Position(kept["offset"], kept["rows"], kept["is_lost"], (device, number), tail)


def _head(data: bytes | memoryview) -> tuple[dict[str, Any], int]:
    if bytes(data[:4]) != _MAGIC:
        raise ValueError("not an index")
    (length,) = struct.unpack_from("<I", data, 4)
    return orjson.loads(data[8 : 8 + length]), 8 + length


class Kept(NamedTuple):
    """What an index holds of a run."""

    series: list[Series]
    positions: dict[str, Position]
    signatures: dict[str, tuple[int, ...]]
    unchecked: dict[str, int]
    damages: list[Damage]
    facts: dict[str, Any]
    findings: list[Finding]

    def is_of(self, run: Run) -> bool:
        """Whether it is what a run had when its points were let go of."""
        return self.facts["generation"] == run.generation and self.facts["points"] == run.points

    def fill(self, run: Run) -> None:
        """Give it to the run; whoever calls this holds the store's lock."""
        for series in self.series:
            (run.scalars if series.is_scalar else run.entries)[series.tag] = series
        for path, position in self.positions.items():
            run.readers[path] = EventFileReader(path, position=position, follows_links=False)
        run.seen = dict(self.signatures)
        for name, value in self.facts.items():
            setattr(run, name, value)
        run.findings = self.findings
        run.judged_saved = run.judged
        run.unchecked, run.damages = self.unchecked, self.damages
        run.bytes_saved = run.bytes_read


def _kept(head: dict[str, Any], data: memoryview) -> Kept:
    found: list[Series] = []
    at = 0
    for kept in head["series"]:
        series = Series(kept["tag"], kept["is_scalar"])
        series.plugin, series.display_name = kept["plugin"], kept["display_name"]
        series.description, series.content = kept["description"], base64.b64decode(kept["content"])
        series.is_old = kept["is_old"]
        columns = {}
        for name, dtype in (SCALAR_COLUMNS if series.is_scalar else ENTRY_COLUMNS).items():
            columns[name] = np.frombuffer(data, dtype, kept["count"], at)
            at += _padded(columns[name].nbytes)
        series.columns.adopt(columns)
        series.risen = kept["sorted_until"], kept["is_sorted"]
        found.append(series)
    return Kept(
        found,
        {kept["path"]: _position(kept) for kept in head["files"]},
        {kept["path"]: tuple(kept.get("signature", ())) for kept in head["files"]},
        {kept["path"]: kept["unchecked"] for kept in head["files"] if kept["unchecked"]},
        [Damage(*damage) for damage in head["damages"]],
        {name: head[name] for name in _KEPT},
        [Finding(**finding) for finding in head["findings"]],
    )


_KEPT = (
    "generation",
    "hparams",
    "start_time",
    "last_time",
    "points",
    "bad_bytes",
    "tags_left_out",
    "samples_left_out",
    "vitals",
    "judged",
)


def _parts(run: Run) -> list[bytes | memoryview]:
    files = [
        {
            **reader.position._asdict(),
            "path": path,
            "tail": base64.b64encode(reader.position.tail).decode(),
            "unchecked": run.unchecked.get(path, 0),
            "signature": _signature(run, path, reader),
        }
        for path, reader in run.readers.items()
    ]
    series, columns = [], []
    for one in run.series():
        count = len(one)
        sorted_until, is_sorted = one.risen
        series.append(
            {
                "tag": one.tag,
                "is_scalar": one.is_scalar,
                "plugin": one.plugin,
                "display_name": one.display_name,
                "description": one.description,
                "is_old": one.is_old,
                "content": base64.b64encode(one.content).decode(),
                "count": count,
                "is_sorted": is_sorted,
                "sorted_until": sorted_until,
            }
        )
        columns += _columns(one.columns, count)
    kept = {name: getattr(run, name) for name in _KEPT}
    kept |= {"damages": [list(d) for d in run.damages], "findings": [asdict(f) for f in run.findings]}
    head = orjson.dumps({**kept, "files": files, "series": series})
    head += b" " * (-len(head) % 8)
    return [_MAGIC, struct.pack("<I", len(head)), head, *columns]


def _signature(run: Run, path: str, reader: EventFileReader) -> tuple[int, ...]:
    """How a file was when all of it was read; () if something is left, as when the board stops while it reads."""
    found = run.seen.get(path, ())
    return found if found and size_in(found) == reader.offset else ()


def _columns(columns: Columns, count: int) -> list[bytes | memoryview]:
    found = []
    for name in columns.names():
        column = columns[name][:count]
        found += [column.data.cast("B") if count else b"", b"\0" * (_padded(column.nbytes) - column.nbytes)]
    return found


def _padded(nbytes: int) -> int:
    return -(-nbytes // 8) * 8
