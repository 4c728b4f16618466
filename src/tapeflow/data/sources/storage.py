"""Datasets in files: save and load, snapshot, and a cache in a file.

Elements are TFRecords, each a message of its components as TensorProtos; beside them lies `dataset.json` with
the structure and specs. A folder is written under another name and renamed when it is whole, so that a pass
that is broken off leaves nothing half-written behind. TensorFlow's own saved datasets are of another kind.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import OBJECTS
from tapeflow.data.sources.file_stream import FileStream
from tapeflow.data.sources.memory import Fixed
from tapeflow.data.sources.saved_manifest import ElementReader, data_path, read_manifest
from tapeflow.data.steps.stepping import ElementStream, Reader
from tapeflow.data.structure import Flat, Structure
from tapeflow.engine import errors
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.io.files import file_errors
from tapeflow.io.replaced_folder import ReplacedFolder, manifest_of
from tapeflow.io.temporary import naming
from tapeflow.io.tfrecord import TFRecordWriter, read_record
from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.event_files.wire import block

_NAME, _DATA = "dataset.json", "elements.tfrecord"
_FORMAT = "tapeflow-dataset"


def _described(structure: Structure, specs: tuple[Any, ...], where: str) -> dict[str, Any]:
    """The element's structure with specs at its leaves, as JSON."""
    for spec in specs:
        if not isinstance(spec, TensorSpec):
            raise TypeError(
                f"{where} expected elements of tensors; got {spec!r}. Use to_tensor or to_dense first."
            )

    def plain(value: object) -> Any:
        if isinstance(value, TensorSpec):
            shape = None if value.shape.rank is None else value.shape.as_list()
            return {"spec": [shape, value.dtype.name]}
        if isinstance(value, dict):
            return {"dict": [[k, plain(v)] for k, v in value.items()]}
        if isinstance(value, tuple):
            return {"tuple": [plain(v) for v in value]}
        return None

    return plain(structure.specs(specs))


def _written(folder: Path) -> list[str]:
    """The files of a saved dataset in a folder; none if it holds no dataset."""
    manifest = manifest_of(folder, _NAME)
    # Manifests of version 0.1 do not name their format.
    is_ours = manifest.get("format", _FORMAT) == _FORMAT and {"element", "count", "compression"} <= set(
        manifest
    )
    return [_NAME, _DATA] if is_ours else []


class Saving:
    """Elements being written to a folder."""

    def __init__(self, path: str, pipe: Pipe, compression: str, where: str) -> None:
        self.path, self._pipe, self._where = path, pipe, where
        self._compression = compression
        self._folder = ReplacedFolder(path, _NAME, _written, where)
        with file_errors(path, where):
            self._building = self._folder.open()
        try:
            self._writer = TFRecordWriter(self._building / _DATA, compression)
        except BaseException:
            self._folder.discard()
            raise
        self._count = 0

    def add(self, element: Flat) -> None:
        """Append an element."""
        try:
            with naming(self.path):
                self._writer.write(b"".join([block(1, tensor_bytes(part)) for part in element]))
        except TypeError as error:
            raise TypeError(f"{self._where} expected elements of tensors; {error}") from None
        self._count += 1

    def finish(self) -> None:
        """Put the folder in its place."""
        described = {
            "format": _FORMAT,
            "element": _described(self._pipe.structure, self._pipe.specs, self._where),
            "count": self._count,
            "compression": self._compression,
        }
        with naming(self.path):
            self._writer.close()
            (self._building / _NAME).write_text(json.dumps(described))
            self._folder.commit()

    def give_up(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(OSError):  # what could not be written is not wanted
            self._writer.close()
        self._folder.discard()


def save(pipe: Pipe, path: str, compression: str, where: str = "tf.data.Dataset.save") -> None:
    """Write all elements of a pipe to a folder."""
    _described(pipe.structure, pipe.specs, where)
    saving = Saving(path, pipe, compression, where)
    reader = Reader(pipe, Iteration())
    try:
        while (element := reader.next()) is not None:
            saving.add(element)
        saving.finish()
    except BaseException:
        saving.give_up()
        raise


def is_saved(path: str) -> bool:
    """Whether there is a whole saved dataset."""
    return os.path.isfile(os.path.join(path, _NAME))


class Saved(Fixed):
    """The elements of a saved dataset."""

    name = "_LoadDataset"

    def __init__(self, path: str, where: str = "tf.data.Dataset.load") -> None:
        self.path, self.where = path, where
        if not is_saved(path):
            raise errors.NotFoundError(
                None, None, f"{where} expected a saved dataset; could not find one at {path!r}."
            )
        specs, count, self.compression = read_manifest(path, _NAME, where)
        flat = tuple([s for s in nest.flatten(specs) if s is not None])
        super().__init__(Structure(specs), flat, count)
        self.rows = OBJECTS

    def stream(self, iteration: Iteration) -> Stream:
        return _Loaded(self)


class _Loaded(FileStream):
    def __init__(self, pipe: Saved) -> None:
        super().__init__(data_path(pipe.path, _DATA, pipe.where), pipe.compression, pipe.where)
        self._elements = ElementReader(pipe.specs, self._path)

    def read(self, file: Any) -> Flat | None:
        record = read_record(file, self._path)
        if record is None:
            return None
        return self._elements.element(record)


class Stored(Step):
    """The source's elements, written to a folder by the first full pass and read from it by those after.

    A pass that begins before there is a folder reads the source. `read` may change how a folder is read.
    """

    def __init__(
        self,
        source: Pipe,
        path: str,
        compression: str,
        where: str,
        read: Callable[[Pipe], Pipe] | None = None,
    ) -> None:
        super().__init__(source, OBJECTS)
        self.path, self.compression, self.where, self._read = path, compression, where, read

    @cached_property
    def saved(self) -> Pipe:
        """What is in the folder."""
        found = Saved(self.path, self.where)
        if not found.structure.matches(self.source.structure):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{self.where} expected a folder written by this pipeline; got elements "
                f"{found.structure.specs(found.specs)!r} at {self.path!r}. Use another path, or delete it.",
            )
        return found if self._read is None else self._read(found)

    def stream(self, iteration: Iteration) -> Stream:
        return _Stored(self, iteration)


class _Stored(ElementStream):
    def __init__(self, pipe: Stored, iteration: Iteration) -> None:
        self._saving: Saving | None = None
        self._pipe, self._iteration = pipe, iteration
        self._is_read = is_saved(pipe.path)
        self._reader = Reader(pipe.saved if self._is_read else pipe.source, iteration)
        self._count = 0

    def next_element(self) -> Flat | None:
        element = self._reader.next()
        if self._is_read:
            return element
        if self._saving is None and not self._count:
            self._saving = Saving(self._pipe.path, self._pipe, self._pipe.compression, self._pipe.where)
        if self._saving is None:
            return element
        self._count += 1
        try:
            if element is not None:
                self._saving.add(element)
                return element
            self._saving.finish()
        except BaseException:
            self._give_up()
            raise
        self._saving = None
        self._is_read = True
        return None

    def _give_up(self) -> None:
        """Write no more: an element would be missing."""
        if self._saving is not None:
            self._saving.give_up()
            self._saving = None

    def __del__(self) -> None:
        self._give_up()

    def state(self) -> State:
        return {"is_read": self._is_read, "count": self._count, "reader": self._reader.state()}

    def restore(self, state: State) -> None:
        """What was written is not in the state: a pass that goes on from the middle writes nothing."""
        self._count = max(state["count"], int(not state["is_read"]))
        if state["is_read"] and not self._is_read and not state["reader"]["is_over"]:
            raise errors.NotFoundError(
                None, None, f"{self._pipe.where} expected its folder {self._pipe.path!r}, which is gone."
            )
        source = self._pipe.saved if state["is_read"] and is_saved(self._pipe.path) else self._pipe.source
        self._is_read = state["is_read"]
        self._reader = Reader(source, self._iteration)
        if state["reader"]["is_over"]:
            self._reader.is_over = True
        else:
            self._reader.restore(state["reader"])
