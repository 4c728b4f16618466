"""Event files in storage elsewhere, most of which cannot append to a file.

A file is sent again whole each time it grows, and is left at `PART_BYTES` for a new one beside it: a flush sends at
most about that much. Object stores put an object in place at once, and over SFTP the file is sent under another name
and renamed. So a reader sees whole records at any time, a file only ever gets longer, and a process that is killed
loses what it had not flushed.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable

from tapeflow.summary.event_files.record_file import RecordFile, new_name
from tapeflow.summary.remote import (
    OBJECT_STORES,
    RENAMING,
    Storage,
    check_address,
    open_storage,
    scheme_of,
    shown_address,
    translated,
)

PART_BYTES = 1 << 20
_WHERE = "tf.summary.create_file_writer"


class RemoteEventFile(RecordFile):
    """An event file in a folder elsewhere.

    Args:
        address: the address of the folder.
        suffix: what its name ends with.
        on_new_file: is called with the address of a file before it is made.

    Raises:
        ValueError: nothing can be written there, or only at a price.
        ImportError: a package for the address is missing.
    """

    def __init__(self, address: str, suffix: str, on_new_file: Callable[[str], None] | None = None) -> None:
        if scheme_of(address) not in OBJECT_STORES | RENAMING:
            raise ValueError(
                f"{_WHERE} expected a local folder or an address that takes a new version of a file each second: "
                f"s3://, gs://, az:// or sftp://; got logdir={shown_address(address)!r}. Log to a local folder and "
                "copy it."
            )
        check_address(address, _WHERE)
        super().__init__(shown_address(address).rstrip("/"))
        self._address = address.rstrip("/")
        # Unlike a disk, an object store does not say that a name is taken.
        self._suffix = f".{secrets.token_hex(4)}{suffix}"
        self._on_new_file = on_new_file
        self._storage: Storage | None = None
        self._name = ""
        self._whole = b""  # what the file holds

    @property
    def is_open(self) -> bool:
        """Whether there is a file to append to."""
        return bool(self._whole)

    def leave(self) -> None:
        """Go on in a new file, over a new connection: a child process cannot use its parent's."""
        self._storage = None
        self._whole = b""

    def _write(self, data: bytes) -> None:
        if not self._whole:
            self._name, version = new_name(self._suffix)
            self.path = f"{self.folder}/{self._name}"
            if self._on_new_file is not None:
                self._on_new_file(self.path)
            data = version + data
        whole = self._whole + data
        with translated(self.folder):
            self._send(whole)
        self._whole = whole if len(whole) < PART_BYTES else b""

    def _send(self, whole: bytes) -> None:
        if self._storage is None:
            self._storage = open_storage(self._address, _WHERE)
        filesystem, root, _, scheme = self._storage
        path = f"{root}/{self._name}"
        if scheme in OBJECT_STORES:
            filesystem.pipe_file(path, whole)
            return
        part = f"{root}/.{secrets.token_hex(8)}.part"
        try:
            filesystem.makedirs(root, exist_ok=True)
            filesystem.pipe_file(part, whole)
            filesystem.mv(part, path)
        except Exception:
            self._storage = None  # the connection may be what is broken
            with contextlib.suppress(Exception):
                filesystem.rm_file(part)
            raise
