"""TFRecord files: records with checksums, one behind the other, compressed or not."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import IO, Any

from tapeflow.engine import errors
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.io.files import file_errors, path_of
from tapeflow.summary.event_files.records import FOOTER_SIZE, HEADER_SIZE, masked_crc, record

_KINDS = ("", "GZIP", "ZLIB")
_NO_LEVEL = -1
_BLOCK_BYTES = 1 << 24
UNPACKING_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)
"""What reading a damaged compressed file raises."""


class TFRecordOptions:
    """Compression options of a TFRecord file."""

    def __init__(
        self,
        compression_type: str | None = None,
        flush_mode: Any = None,
        input_buffer_size: Any = None,
        output_buffer_size: Any = None,
        window_bits: Any = None,
        compression_level: int | None = None,
        compression_method: Any = None,
        mem_level: Any = None,
        compression_strategy: Any = None,
    ) -> None:
        self.compression_type = compression_of(compression_type, "tf.io.TFRecordOptions")
        self.compression_level = compression_level


def compression_of(value: object, where: str) -> str:
    """A kind of compression: "", "GZIP" or "ZLIB"."""
    if isinstance(value, TFRecordOptions):
        return value.compression_type
    kind = "" if value is None or value == "NONE" else value
    if isinstance(kind, str) and kind in _KINDS:
        return kind
    raise ValueError(
        f'{where} expected compression_type to be "", "GZIP" or "ZLIB": not a valid compression_type: "{value}".'
    )


class TFRecordWriter:
    """Writes a TFRecord file.

    >>> with tf.io.TFRecordWriter("numbers.tfrecord") as writer:
    ...     writer.write(b"one")
    >>> [x.numpy() for x in tf.data.TFRecordDataset("numbers.tfrecord")]
    [b'one']
    """

    def __init__(self, path: Any, options: TFRecordOptions | str | None = None) -> None:
        where = "tf.io.TFRecordWriter"
        self._path = path_of(path, where, "path")
        kind = compression_of(options, where)
        level = options.compression_level if isinstance(options, TFRecordOptions) else None
        level = _NO_LEVEL if level is None else level
        with file_errors(self._path, where):
            self._file: Any = open(self._path, "wb")  # noqa: SIM115 (open as long as the writer)
        if kind == "GZIP":
            self._raw, self._file = (
                self._file,
                gzip.GzipFile("", "wb", 9 if level == _NO_LEVEL else level, self._file, mtime=0),
            )
        elif kind == "ZLIB":
            self._file = _ZlibWriter(self._file, level)

    def write(self, record_bytes: TensorLike) -> None:
        """Append one record."""
        data = record_bytes if isinstance(record_bytes, bytes) else _as_bytes(record_bytes)
        if self._file is None:
            raise errors.FailedPreconditionError(
                None, None, f"tf.io.TFRecordWriter expected to be open: writer is closed; path {self._path}."
            )
        self._file.write(record(data))

    def flush(self) -> None:
        """Hand what was written to the system."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()
            raw, self._file, self._raw = getattr(self, "_raw", None), None, None
            if raw is not None:
                raw.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _as_bytes(value: Any) -> bytes:
    found = value.numpy() if hasattr(value, "numpy") else value
    if isinstance(found, str):
        return found.encode()
    if isinstance(found, bytes):
        return found
    raise TypeError(
        f"tf.io.TFRecordWriter.write expected bytes; got {value!r}. Serialise it first, for example with "
        "tf.io.serialize_tensor(...).numpy() or Example.SerializeToString()."
    )


class _ZlibWriter:
    def __init__(self, file: IO[bytes], level: int) -> None:
        self._file, self._packer = file, zlib.compressobj(level)

    def write(self, data: bytes) -> None:
        self._file.write(self._packer.compress(data))

    def flush(self) -> None:
        self._file.write(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        self._file.write(self._packer.flush())
        self._file.close()


class _ZlibReader:
    """A zlib file read from its beginning; to go back is to begin again."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._at, self._rest = file, 0, b""
        self._unpacker = zlib.decompressobj()

    def read(self, count: int) -> bytes:
        while len(self._rest) < count and (packed := self._file.read(1 << 16)):
            self._rest += self._unpacker.decompress(packed)
        found, self._rest = self._rest[:count], self._rest[count:]
        self._at += len(found)
        return found

    def readline(self) -> bytes:
        while b"\n" not in self._rest and (packed := self._file.read(1 << 16)):
            self._rest += self._unpacker.decompress(packed)
        return self.read(self._rest.find(b"\n") + 1 or len(self._rest))

    def tell(self) -> int:
        return self._at

    def seek(self, at: int) -> None:
        while self._at < at and self.read(min(at - self._at, 1 << 20)):
            pass

    def close(self) -> None:
        self._file.close()


def open_to_read(path: str, compression: str, where: str) -> Any:
    """A file of bytes, decompressed as it is read."""
    with file_errors(path, where):
        file = open(path, "rb", 1 << 18)  # noqa: SIM115 (the caller closes it)
        os.fstat(file.fileno())
    if compression == "GZIP":
        return gzip.GzipFile(fileobj=file, mode="rb")
    return _ZlibReader(file) if compression == "ZLIB" else file


def open_sparsely(path: str, where: str) -> Any:
    """A file of which some parts are read, and as little as possible of what is between them."""
    with file_errors(path, where):
        file = open(path, "rb", 0)  # noqa: SIM115 (the caller closes it)
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
    return file


def pass_record(file: Any, path: str, least_bytes: int) -> bool:
    """Go behind the next record of a file that was opened sparsely, if it is whole and not small; else stay.

    Its data is not read, so its checksum is not looked at.
    """
    at = file.tell()
    head = file.read(HEADER_SIZE)
    length = int.from_bytes(head[:8], "little")
    end = at + HEADER_SIZE + length + FOOTER_SIZE
    is_sound = len(head) == HEADER_SIZE and int.from_bytes(head[8:], "little") == masked_crc(head[:8])
    is_passed = is_sound and length >= least_bytes and end <= os.fstat(file.fileno()).st_size
    file.seek(end if is_passed else at)
    return is_passed


def read_record(file: Any, path: str) -> bytes | None:
    """The next record of a file, or None at its end; a damaged one is an error."""
    where = "tf.data.TFRecordDataset"
    at = file.tell()
    head = file.read(HEADER_SIZE)
    if not head:
        return None
    if len(head) < HEADER_SIZE:
        raise _lost(f"{where} expected whole records in {path}: truncated record at {at}.")
    if int.from_bytes(head[8:], "little") != masked_crc(head[:8]):
        hint = " Is this even a TFRecord file? It may be compressed: see compression_type." if not at else ""
        raise _lost(f"{where} expected records in {path}: corrupted record at {at}.{hint}")
    length = int.from_bytes(head[:8], "little")
    data, footer = _read(file, length), file.read(FOOTER_SIZE)
    if len(data) < length or len(footer) < FOOTER_SIZE:
        raise _lost(f"{where} expected whole records in {path}: truncated record at {at}.")
    if int.from_bytes(footer, "little") != masked_crc(data):
        raise _lost(f"{where} expected records with the right checksum in {path}: corrupted record at {at}.")
    return data


def _read(file: Any, count: int) -> bytes:
    """So many bytes, or those there are: memory is not taken for a length that only the file claims."""
    if count <= _BLOCK_BYTES:
        return file.read(count)
    blocks: list[bytes] = []
    while count > 0 and (block := file.read(min(count, _BLOCK_BYTES))):
        blocks.append(block)
        count -= len(block)
    return b"".join(blocks)


def not_whole(path: str, error: Exception) -> errors.DataLossError:
    """What a damaged compressed file makes its reader say, as TensorFlow's error."""
    return _lost(f"Reading {path} expected a whole compressed file: {error}.")


def _lost(message: str) -> errors.DataLossError:
    return errors.DataLossError(None, None, message)
