"""`.keras` files: a zip of `config.json`, `metadata.json` and `model.weights.h5`, as Keras 3 writes it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tapeflow.io.folder_part import part_of
from tapeflow.keras.layers.features.index_lookup import IndexLookup
from tapeflow.keras.layers.features.text_vectorization import TextVectorization
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.draft import Draft
from tapeflow.keras.saving.file_part import FilePart, FileTail
from tapeflow.keras.saving.load_budget import LoadBudget
from tapeflow.keras.saving.progress import SavingProgress
from tapeflow.keras.saving.weight_tree import load_tree, placed
from tapeflow.train.atomic import replacing

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
# The version of Keras whose layout this is.
KERAS_VERSION = "3.0.0"
_IN_MEMORY_BYTES = 1 << 30
_BLOCK_BYTES = 1 << 22


def write_archive(path: Path, config: str, weights: Draft) -> None:
    """Write a model's config and weights; what was there before stays until the file is whole."""
    now = datetime.now(UTC).strftime("%Y-%m-%d@%H:%M:%S")
    with (
        replacing(path) as temporary,
        SavingProgress(path, weights.nbytes) as progress,
        temporary.open("w+b") as file,
        zipfile.ZipFile(file, "w") as archive,
    ):
        archive.writestr(METADATA, json.dumps({"keras_version": KERAS_VERSION, "date_saved": now}))
        archive.writestr(CONFIG, config)
        _write_weights(archive, file, weights, progress)


def _write_weights(
    archive: zipfile.ZipFile, file: IO[bytes], weights: Draft, progress: SavingProgress
) -> None:
    """Write the weights to their place in the archive at once; `zipfile` itself can only copy them there.

    HDF5 goes back and forth in its file, so the member's header, which has the checksum, is written last.
    """
    info = zipfile.ZipInfo(WEIGHTS, time.localtime()[:6])
    info.external_attr = 0o600 << 16  # as `writestr` has it
    info.CRC = 0
    info.header_offset = file.seek(0, os.SEEK_END)
    tail = FileTail(file, info.header_offset + len(info.FileHeader(zip64=True)))
    with hdf5.created(tail) as content:
        weights.write(content, progress.add)
    info.file_size = info.compress_size = tail.size
    tail.seek(0)
    block = memoryview(bytearray(_BLOCK_BYTES))
    while count := tail.readinto(block):
        info.CRC = zlib.crc32(block[:count], info.CRC)
    archive.start_dir = file.tell()  # the table of contents comes after it
    file.seek(info.header_offset)
    file.write(info.FileHeader(zip64=True))
    archive.filelist.append(info)
    archive.NameToInfo[WEIGHTS] = info


class Archive:
    """A `.keras` file, or a folder with its parts, open for reading.

    Args:
        path: the file or folder.
        budget: what reading it may cost.
    """

    def __init__(self, path: Path, budget: LoadBudget) -> None:
        self.path, self._budget = path, budget

    def config(self) -> dict[str, Any]:
        """The model's config."""
        with self._part(CONFIG, is_text=True) as file:
            return parsed(file.read(), str(self.path))

    def load_weights(self, model: Model, skip_mismatch: bool = False) -> None:
        """Give a model its weights, and its optimizer its state."""
        with self._part(WEIGHTS) as source, hdf5.opened(source) as file:
            load_tree(model, file, skip_mismatch)
        self._load_vocabularies(model)

    def _load_vocabularies(self, model: Model) -> None:
        """Give layers the terms that Keras keeps in files of their own; ours are in the config."""
        for path, layer in placed(model):
            if isinstance(layer, (IndexLookup, TextVectorization)) and not layer.get_vocabulary(False):
                name = f"assets/{path}/vocabulary.txt"
                if self._has(name):
                    with self._part(name, is_text=True) as file:
                        layer.load_vocabulary(_lines(file.read(), name))

    def _has(self, name: str) -> bool:
        if self.path.is_dir():
            return part_of(self.path, name).is_file()
        with self._readable(), zipfile.ZipFile(self.path) as archive:
            return name in archive.NameToInfo

    @contextlib.contextmanager
    def _part(self, name: str, is_text: bool = False) -> Iterator[IO[bytes]]:
        if self.path.is_dir():
            part = part_of(self.path, name)
            if not part.is_file():
                raise ValueError(_missing(self.path, name))
            if is_text:
                self._budget.spend_text(part.stat().st_size, name)
            with part.open("rb") as file:
                yield file
            return
        with self._readable(), zipfile.ZipFile(self.path) as archive:
            info = self._member(archive, name)
            if is_text:
                self._budget.spend_text(info.file_size, name)
            self._budget.spend(info.file_size, f"its part {name!r}")
            if info.compress_type == zipfile.ZIP_DEFLATED:
                with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as copy:
                    with archive.open(info) as member:
                        shutil.copyfileobj(member, copy, _BLOCK_BYTES)
                    copy.seek(0)
                    yield copy  # pyright: ignore[reportReturnType]
                return
            with archive.open(info) as member:
                while member.read(_BLOCK_BYTES):  # to the end, where the checksum is compared
                    pass
            with self.path.open("rb") as file:
                yield FilePart(file, _content_start(file, info), info.file_size)  # pyright: ignore[reportReturnType]

    def _member(self, archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
        """A member, of which there is one, stored as it is or deflated: other kinds unpack without a bound."""
        found = [info for info in archive.infolist() if info.filename == name]
        if len(found) != 1:
            raise ValueError(_missing(self.path, name, len(found)))
        if found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(
                f"Loading expected {name!r} in {str(self.path)!r} to be stored or deflated; got compression type "
                f"{found[0].compress_type}. Write the file again with another."
            )
        return found[0]

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        """What a broken zip makes its reader say, as one clear error."""
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise ValueError(
                f"Loading expected a `.keras` file; got {str(self.path)!r}, which cannot be read ({error}). It may be "
                "truncated or damaged: use another copy."
            ) from error


def _content_start(file: IO[bytes], info: zipfile.ZipInfo) -> int:
    """Where a member's bytes begin: after its header, which ends in a name and more of any length."""
    file.seek(info.header_offset + 26)
    name, extra = int.from_bytes(file.read(2), "little"), int.from_bytes(file.read(2), "little")
    return info.header_offset + 30 + name + extra


def parsed(text: str | bytes, name: str) -> dict[str, Any]:
    """A model's config from JSON."""
    found = as_dict(text, name)
    if "class_name" not in found or "config" not in found:
        raise ValueError(
            f"Loading expected a model's config, a dict with `class_name` and `config`; got {str(found)[:100]!r} in "
            f"{name!r}."
        )
    return found


def as_dict(text: str | bytes, name: str) -> dict[str, Any]:
    """A dict from JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"Loading expected a model's config as JSON; got {name!r} ({error}).") from error
    if not isinstance(found, dict):
        raise ValueError(f"Loading expected a model's config, a dict; got {str(found)[:100]!r} in {name!r}.")
    return found


def _missing(path: Path, name: str, count: int = 0) -> str:
    return f"Loading expected one {name!r} in {str(path)!r}; found {count}. Is it a `.keras` file?"


def _lines(text: bytes, name: str) -> list[str]:
    try:
        return text.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"Loading expected lines of text in {name!r}; got other bytes ({error}).") from error
