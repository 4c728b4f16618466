"""What there is in storage elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tapeflow.board.remote.names import is_wanted, parts_below
from tapeflow.summary.remote import OBJECT_STORES, TIMES, Storage, modified_of, translated

MOST_FILES = 200_000
MOST_FOLDERS = 100_000
# What the kinds of storage say of a file that differs once it is another one.
_VERSIONS = ("ETag", "etag", "generation", "md5Hash", "blob_id", *TIMES)


@dataclass(frozen=True)
class RemoteFile:
    """A file elsewhere.

    Attributes:
        name: as the storage calls it.
        parts: its place below the log folder.
        size: in bytes.
        version: another text when the file is another one.
        modified: when it was written, in seconds since 1970; 0.0 if that is not known.
    """

    name: str
    parts: tuple[str, ...]
    size: int
    version: str
    modified: float = 0.0


@dataclass
class Listing:
    """All files that the board reads.

    Attributes:
        files: by their place, with `/`.
        left_out: how many there are whose names are no paths, or that are too many.
    """

    files: dict[str, RemoteFile] = field(default_factory=dict)
    left_out: int = 0


def listed(storage: Storage) -> Listing:
    """List a log folder, or a single event file.

    Raises:
        OSError: it cannot be listed, or not all of it.
    """
    found = Listing()
    with translated(storage.shown):
        storage.filesystem.invalidate_cache()
        for info in _infos(storage):
            name = str(info["name"])
            if name == storage.root:
                parts: tuple[str, ...] | None = parts_below(name, name.rpartition("/")[0])
            elif is_wanted(name.removeprefix(f"{storage.root}/")):
                parts = parts_below(name, storage.root)
            else:
                continue
            if parts is None or len(found.files) >= MOST_FILES:
                found.left_out += 1
                continue
            if info.get("size") is None:  # web servers list names alone
                info = {**info, **storage.filesystem.info(name)}
            versions = [str(info[key]) for key in _VERSIONS if info.get(key) is not None]
            size = int(info.get("size") or 0)
            found.files["/".join(parts)] = RemoteFile(
                name, parts, size, " ".join(versions), modified_of(info)
            )
    return found


def _infos(storage: Storage) -> Iterator[dict[str, Any]]:
    """What is known of each file; nothing if there is no such folder yet."""
    filesystem, root = storage.filesystem, storage.root
    if storage.scheme in OBJECT_STORES:  # one request for a thousand files, whatever their folders
        try:
            yield from dict(filesystem.find(root, detail=True)).values()
        except FileNotFoundError:
            if storage.scheme != "memory":
                raise  # there is no such bucket
        return
    waiting, seen = [root], {root}
    while waiting and len(seen) < MOST_FOLDERS:
        folder = waiting.pop()
        try:
            entries = filesystem.ls(folder, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            if folder == root and filesystem.isfile(root):
                yield {**filesystem.info(root), "name": root}
            continue
        for info in entries:
            name = str(info["name"]).rstrip("/")
            if info["type"] == "file":
                yield {**info, "name": name}
            elif info["type"] == "directory" and name not in seen and parts_below(name, root) is not None:
                seen.add(name)
                waiting.append(name)
