"""What a tar or zip archive holds, read under limits. Nothing here writes to the disk.

Python's own extraction filters are not relied on: they differ between versions and were wrong in several.
`tarfile` and `zipfile` parse the headers; which names, kinds and sizes are accepted is decided here. A tar
archive is read through `_Decompressed`, since `tarfile` by itself reads a header of any length into memory and
lets a negative length lead it backwards for ever.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import IO, NamedTuple

MAX_RATIO = 200
MIN_LIMIT_BYTES = 1 << 28
MEMBER_BYTES = 1 << 12
MAX_DEPTH = 64
MAX_NAME_BYTES = 255
_MAX_HEADER_BYTES = 1 << 20
_MAX_GLOBAL_HEADERS = 1000
_SKIP_BYTES = 1 << 18
_OPENERS = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\0", lzma.open),
    (b"\x5d\0\0", lzma.open),
)
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,  # a compression that Python does not know
    RuntimeError,  # a member that is encrypted, or headers nested too deep
)


class Member(NamedTuple):
    """One entry: a "file" with its `content`, a "folder", a symbolic "link" or a "copy" (hard link) of `target`."""

    name: str
    kind: str
    content: IO[bytes] | None = None
    is_executable: bool = False
    target: str = ""


class RefusedArchive(Exception):
    """An archive that is not extracted: `rule` says what was expected, `str` goes on after "got NAME"."""

    rule = ""
    remedy = "check where the archive comes from"


class UnsafeMember(RefusedArchive):
    """A member that reaches outside of the folder, or is no plain file, folder or link."""

    rule = "an archive of files that stay in its folder"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"with {name!r}, {why}")


class TooLarge(RefusedArchive):
    """An archive that unpacks to more than is believable."""

    rule = f"an archive that unpacks to at most {MAX_RATIO} times its size"
    remedy = "check where the archive comes from; if you trust it, unpack it yourself with `tar` or `unzip`"


class DamagedArchive(RefusedArchive):
    """An archive that cannot be read to its end."""

    rule = "a whole archive"
    remedy = "delete it and download it again"


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Turn all that Python's readers raise for damaged archives into `DamagedArchive`."""
    try:
        yield
    except _DAMAGE as error:
        reason = f"{error}" or type(error).__name__
        raise DamagedArchive(f"which cannot be read ({reason})") from error


class Limits:
    """How much an archive may unpack to: `MAX_RATIO` times its size, and a quarter of a gigabyte in any case.

    Every member counts at least what a file system takes for it, so that millions of empty ones count, too.
    """

    def __init__(self, archive_bytes: int) -> None:
        self.limit_bytes = max(MIN_LIMIT_BYTES, MAX_RATIO * archive_bytes)
        self._left_bytes = self.limit_bytes
        self._archive_bytes = archive_bytes

    def spend(self, size: int) -> None:
        """Count bytes to be written.

        Raises:
            TooLarge: they are too many.
        """
        self._left_bytes -= size
        if self._left_bytes < 0:
            raise TooLarge(
                f"of {self._archive_bytes} bytes, which unpacks to more than {self.limit_bytes} bytes (a member counts "
                f"at least {MEMBER_BYTES})"
            )


def members(path: Path, formats: Sequence[str], limits: Limits) -> Iterator[Member] | None:
    """The members of an archive, in their order, or None if it has none of the `formats` ("tar", "zip").

    The content of a member is to be read before the next member is asked for.
    """
    for name in formats:
        opened = {"tar": _tar_members, "zip": _zip_members}.get(name, _no_members)(path, limits)
        if opened is not None:
            return opened
    return None


def checked_name(name: str) -> str:
    """The name of a member in its plain form, `folder/file`; "" for the archive's own folder.

    Raises:
        UnsafeMember: it is absolute, has "..", or is too long or deep.
    """
    path = PurePath(name)
    if path.is_absolute() or path.drive or ".." in path.parts:
        raise UnsafeMember(name, "which reaches outside")
    if "\0" in name:
        raise UnsafeMember(name, "whose name has a zero byte")
    if len(path.parts) > MAX_DEPTH or any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in path.parts):
        shown = name if len(name) < 80 else f"{name[:80]}..."
        raise UnsafeMember(
            shown, f"whose name is longer than {MAX_NAME_BYTES} bytes or lies deeper than {MAX_DEPTH} folders"
        )
    return "/".join(path.parts)


def _no_members(path: Path, limits: Limits) -> None:
    """No archive has a format that is not known."""


def _zip_members(path: Path, limits: Limits) -> Iterator[Member] | None:
    return _read_zip(path, limits) if zipfile.is_zipfile(path) else None


def _read_zip(path: Path, limits: Limits) -> Iterator[Member]:
    with contextlib.ExitStack() as stack:
        with reading():
            archive = stack.enter_context(zipfile.ZipFile(path))
        for info in archive.infolist():
            name = checked_name(info.filename)
            limits.spend(max(info.file_size, MEMBER_BYTES))
            if info.is_dir():
                yield Member(name, "folder")
                continue
            with reading():
                content = archive.open(info)  # which gives no more than `file_size` bytes
            with content:
                yield Member(name, "file", content)


def _tar_members(path: Path, limits: Limits) -> Iterator[Member] | None:
    stream = _Decompressed(path)
    try:
        with reading():
            archive = tarfile.TarFile(fileobj=stream, mode="r")  # type: ignore[arg-type]  # read, seek, tell
    except DamagedArchive:
        stream.close()
        return None
    return _read_tar(archive, stream, limits)


def _read_tar(archive: tarfile.TarFile, stream: _Decompressed, limits: Limits) -> Iterator[Member]:
    with contextlib.closing(stream):
        while True:
            archive.members = []  # type: ignore[attr-defined]  # else all headers are kept
            with reading():
                stream.begin_header()
                info = archive.next()
                if info is None and stream.last.strip(b"\0"):
                    raise tarfile.ReadError("a header is damaged")
            if info is None:
                return
            if len(archive.pax_headers) > _MAX_GLOBAL_HEADERS:
                raise DamagedArchive("which has too many global headers")
            name = checked_name(info.name)
            limits.spend(max(info.size if info.isreg() else 0, MEMBER_BYTES))
            stream.begin_content()
            yield _tar_member(archive, info, name)


def _tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo, name: str) -> Member:
    if info.size < 0:
        raise DamagedArchive(f"with {name!r}, whose size is negative")
    if info.issparse():
        raise UnsafeMember(name, "which is a sparse file")
    if info.isreg():
        with reading():
            return Member(name, "file", archive.extractfile(info), bool(info.mode & 0o100))
    if info.isdir():
        return Member(name, "folder")
    if info.issym():
        return Member(name, "link", target=info.linkname)
    if info.islnk():
        return Member(name, "copy", target=checked_name(info.linkname))
    raise UnsafeMember(name, "which is no plain file, folder or link")


class _Decompressed:
    """The bytes of a tar archive, which go forward only; headers are read in small pieces or not at all."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            start = file.read(6)
        opener = next((o for magic, o in _OPENERS if start.startswith(magic)), open)
        self._file = opener(path, "rb")
        self._position = 0
        self._header_bytes: int | None = 0
        self.last = b""

    def begin_header(self) -> None:
        """What is read from now on is a header, or several that belong to one member."""
        self._header_bytes = 0

    def begin_content(self) -> None:
        """What is read from now on is counted already."""
        self._header_bytes = None

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _MAX_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {size} bytes")
        if self._header_bytes is not None:
            self._header_bytes += size
            if self._header_bytes > _MAX_HEADER_BYTES:
                raise tarfile.ReadError("a member with too many headers")
        self.last = self._file.read(size)
        self._position += len(self.last)
        return self.last

    def seek(self, position: int) -> None:
        if position < self._position:
            raise tarfile.ReadError("a member that begins before the last one ends")
        while self._position < position:
            if not self.read(min(_SKIP_BYTES, position - self._position)):
                raise tarfile.ReadError("unexpected end of data")

    def close(self) -> None:
        self._file.close()
