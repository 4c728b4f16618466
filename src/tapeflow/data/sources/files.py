"""Datasets of files: lines of text, TFRecords, records of one length, and the names of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.arguments import read_count, read_positive
from tapeflow.data.dataset import Dataset
from tapeflow.data.deferral import Deferred
from tapeflow.data.pipe import Iteration, Pipe, Stream
from tapeflow.data.sources.file_stream import FileStream
from tapeflow.data.sources.memory import Fixed, Slices
from tapeflow.data.steps.interleaving import Interleave
from tapeflow.data.structure import Flat, Structure
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.io.files import path_of, paths_of
from tapeflow.io.tfrecord import compression_of, open_sparsely, pass_record, read_record
from tapeflow.ops.host_args import invalid

_LEAST_BYTES = 4096  # who skips less than a page of memory reads it all the same

Next = Callable[[Any, str], bytes | None]
"""Reads the next record of an open file; None at its end."""


class Records(Fixed):
    """The records of one file."""

    defers = True

    def __init__(self, path: str, compression: str, read: Next, where: str) -> None:
        super().__init__(Structure(0), [TensorSpec((), string)], counting.UNKNOWN)
        self.path, self.compression, self.read, self.where = path, compression, read, where

    def stream(self, iteration: Iteration) -> Stream:
        is_sparse = self in iteration.deferring and self.read is read_record and not self.compression
        return _Located(self) if is_sparse else _Read(self)

    def make(self, notes: Sequence[int]) -> list[Flat]:
        """The records at some places of the file."""
        found: list[Flat] = []
        with open_sparsely(self.path, self.where) as file:
            for at in notes:
                file.seek(at)
                found.append(_element(read_record(file, self.path)))
        return found


class _Read(FileStream):
    def __init__(self, pipe: Records) -> None:
        super().__init__(pipe.path, pipe.compression, pipe.where)
        self._next = pipe.read

    def read(self, file: Any) -> Flat | None:
        record = self._next(file, self._path)
        return None if record is None else _element(record)


def _element(record: bytes | None) -> Flat:
    found = np.empty((), object)
    found[()] = record
    return (found,)


class _Located(FileStream):
    """The records of a file, of which the large ones are passed over and only their places noted."""

    def __init__(self, pipe: Records) -> None:
        super().__init__(pipe.path, pipe.compression, pipe.where)
        self._pipe = pipe

    def open(self) -> Any:
        return open_sparsely(self._path, self._where)

    def read(self, file: Any) -> Any:
        at = file.tell()
        if pass_record(file, self._path, _LEAST_BYTES):
            return Deferred(self._pipe, at)
        record = read_record(file, self._path)
        return None if record is None else _element(record)


class Files(Interleave):
    """The records of several files: one file after the other, or `cycle` of them in turn."""

    def __init__(self, names: Pipe, make: Callable[[str], Pipe], specs: Any, cycle: int, where: str) -> None:
        super().__init__(names, make, cycle, 1, where)
        self._specs = specs
        self._structure = Structure(tuple([0] * len(specs)) if isinstance(specs, tuple) else 0)

    @property
    def specs(self) -> tuple[Any, ...]:
        return self._specs if isinstance(self._specs, tuple) else (self._specs,)

    @property
    def opens_files(self) -> bool:
        return True

    def opened(self, element: Flat, place: tuple[int, int]) -> Pipe:
        return self.function(path_of(element[0].item(), self.where))


def names_of(filenames: TensorLike, where: str) -> Pipe:
    """A pipe of the names of files: from text, a tensor, or a dataset of them."""
    if isinstance(filenames, Dataset):
        specs = filenames._pipe.specs
        if len(specs) != 1 or specs[0].dtype is not string:
            raise TypeError(f"{where} expected a dataset of names of files; got {filenames!r}.")
        return filenames._pipe
    paths = paths_of(filenames, where, "filenames")
    found = np.empty(len(paths), object)
    found[:] = [os.fsencode(p) for p in paths]
    return Slices(found)


def _cycle(num_parallel_reads: int | None, where: str) -> int:
    count = 1 if num_parallel_reads is None else read_count(num_parallel_reads, where, "num_parallel_reads")
    return (os.cpu_count() or 1) if count < 0 else max(count, 1)


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    Args:
        filenames: one or several names, or a dataset of them.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: ignored.
        num_parallel_reads: the number of files to interleave; by default one after the other.
        name: ignored.
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        _begin(self, "TextLineDataset", filenames, compression_type, num_parallel_reads, _line)


class TFRecordDataset(Dataset):
    """The records of TFRecord files.

    Args:
        filenames: one or several names, or a dataset of them.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: ignored.
        num_parallel_reads: the number of files to interleave; by default one after the other.
        name: ignored.
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: str | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        _begin(self, "TFRecordDataset", filenames, compression_type, num_parallel_reads, read_record)


class FixedLengthRecordDataset(Dataset):
    """Records of `record_bytes` bytes each, between a header and a footer that are left out."""

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: TensorLike | None = None,
        compression_type: str | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        where = "tf.data.FixedLengthRecordDataset"
        size = read_positive(record_bytes, where, "record_bytes")
        header, footer = (
            0 if v is None else read_count(v, where, n)
            for v, n in ((header_bytes, "header_bytes"), (footer_bytes, "footer_bytes"))
        )

        def read(file: Any, path: str) -> bytes | None:
            at = file.tell()
            if not at:
                total = os.path.getsize(path)
                if not compression_type and (total - header - footer) % size:
                    raise invalid(
                        f"{where} expected whole records: excluding the header ({header} bytes) and footer "
                        f"({footer} bytes), input file {path!r} has body length {total - header - footer} "
                        f"bytes, which is not an exact multiple of the record length ({size} bytes)."
                    )
                file.read(header)
            found = file.read(size)
            is_last = len(found) < size or (
                not compression_type and file.tell() > os.path.getsize(path) - footer
            )
            return None if is_last else found

        _begin(self, "FixedLengthRecordDataset", filenames, compression_type, num_parallel_reads, read)


def _begin(
    dataset: Dataset, name: str, filenames: TensorLike, compression: str | None, reads: Any, read: Next
) -> None:
    where = f"tf.data.{name}"
    kind = compression_of(compression, where)
    pipe = Files(
        names_of(filenames, where),
        lambda path: Records(path, kind, read, where),
        TensorSpec((), string),
        _cycle(reads, where),
        where,
    )
    Dataset.__init__(dataset, pipe)


def _line(file: Any, path: str) -> bytes | None:
    line = file.readline()
    if not line:
        return None
    return line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line
