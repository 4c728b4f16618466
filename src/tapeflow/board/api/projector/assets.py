"""What a configuration names: vectors, labels, pictures, bookmarks; read within bounds, or refused in words."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np
import orjson

from tapeflow.board.answers import Refusal
from tapeflow.board.api.projector.bundles import BundleError, bundle_vectors
from tapeflow.board.api.projector.metadata import Metadata, read_metadata
from tapeflow.board.api.projector.notes import NOTES
from tapeflow.board.api.projector.places import Place
from tapeflow.board.blobs import KINDS, kind_of
from tapeflow.board.schema import Note
from tapeflow.summary.event_files.reader import open_regular
from tapeflow.summary.kinds.embeddings import Embedding
from tapeflow.summary.kinds.projector_checkpoints import checkpoint_vectors, latest_checkpoint
from tapeflow.summary.kinds.projector_files import asset_path

MOST_POINTS = 1_000_000
MOST_VALUES = 128 << 20
MOST_TEXT_BYTES = 256 << 20
MOST_LINE_BYTES = 4 << 20
MOST_SPRITE_BYTES = 64 << 20
MOST_BOOKMARK_BYTES = 4 << 20
_MOST_BOOKMARKS = 100
_MOST_KEPT_BYTES = 1 << 30
_HEAD = 1 << 16


class Unreadable(Refusal):
    """A file that cannot be shown; the words are for the user."""

    def __init__(self, code: str, /, **values: str | float) -> None:
        super().__init__(422, code, **values)

    def __str__(self) -> str:
        return self.detail


def opened(folder: str, path: str) -> BinaryIO:
    """A file that a configuration names.

    Raises:
        Unreadable: it lies outside the folder, is not there or is no file.
    """
    try:
        return open_regular(asset_path(folder, path), follows_links=False)
    except ValueError:
        raise Unreadable("leads_out", folder=os.path.realpath(folder), path=path) from None
    except OSError as error:
        raise Unreadable("no_file", path=path, error=error.strerror or "") from None


class Points:
    """The vectors of one step, with what else there is about them, read when first asked for.

    Attributes:
        vectors: float32, `[points, dimensions]`; what is not finite is NaN.
        notes: what was cut or is odd, in words.
    """

    def __init__(self, place: Place, info: Embedding) -> None:
        self.place = place
        self.info = info
        self.vectors, self.notes = read_points(place, info)
        odd = int(np.count_nonzero(~np.isfinite(self.vectors).all(axis=1)))
        if odd:
            self.notes.append(NOTES("not_finite", n=odd))

    @cached_property
    def digest(self) -> str:
        """Names the content, for what is kept of it."""
        key = hashlib.blake2b(repr(self.vectors.shape).encode(), digest_size=16)
        key.update(np.ascontiguousarray(self.vectors).data)
        return key.hexdigest()

    @cached_property
    def metadata(self) -> Metadata:
        """Columns of labels; none if there is no file, or it cannot be read, which is then noted."""
        if not self.info.metadata:
            return Metadata([], [])
        try:
            with opened(self.place.folder, self.info.metadata) as file:
                return read_metadata(file, len(self.vectors))
        except Unreadable as error:
            return Metadata([], [NOTES("labels_unreadable", error=str(error))])

    @cached_property
    def bookmarks(self) -> list[Any]:
        """Views somebody kept, as TensorBoard's projector saves them."""
        if not self.info.bookmarks:
            return []
        try:
            with opened(self.place.folder, self.info.bookmarks) as file:
                found = orjson.loads(file.read(MOST_BOOKMARK_BYTES + 1))
        except (Unreadable, orjson.JSONDecodeError) as error:
            self.notes.append(NOTES("bookmarks_unreadable", error=str(error)))
            return []
        return found[:_MOST_BOOKMARKS] if isinstance(found, list) else []

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        return self.vectors.nbytes


class Assets:
    """Points that were asked for last, as many as fit into memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Points] = OrderedDict()

    def points(self, place: Place, info: Embedding) -> Points:
        """The points of one step.

        Raises:
            Unreadable: they cannot be read.
        """
        key = place.version(info)
        with self._lock:  # one reads, the others wait for the same
            found = self._kept.pop(key, None) or Points(place, info)
            self._kept[key] = found
            while len(self._kept) > 1 and sum(p.nbytes for p in self._kept.values()) > _MOST_KEPT_BYTES:
                self._kept.popitem(last=False)
        return found


def read_points(place: Place, info: Embedding) -> tuple[np.ndarray, list[Note]]:
    """Vectors as float32, and what was cut of them, in words."""
    if not info.vectors:
        return _from_checkpoint(place, info), []
    with opened(place.folder, info.vectors) as file:
        head = file.read(_HEAD)
        file.seek(0)
        if _is_text(head):
            return _text_vectors(file, info.vectors)
        return _plain_vectors(file, info)


def _is_text(head: bytes) -> bool:
    """Whether a file begins with a line of numbers; TensorBoard, too, takes a file for text first."""
    line = head.partition(b"\n")[0]
    try:
        for cell in line.decode().rstrip("\r").split("\t")[: line.count(b"\t") or 1]:  # the last may be cut
            float(cell)
    except ValueError:
        return False
    return True


def _text_vectors(file: BinaryIO, path: str) -> tuple[np.ndarray, list[Note]]:
    notes: list[Note] = []
    width = file.readline(MOST_LINE_BYTES).count(b"\t") + 1
    file.seek(0)
    most = min(MOST_POINTS, MOST_VALUES // width)
    try:
        found = np.loadtxt(
            _lines(file, most, path, notes), np.float32, comments=None, delimiter="\t", ndmin=2
        )
    except ValueError as error:
        raise Unreadable("no_numbers", path=path, width=width, error=str(error)) from None
    if not found.size:
        raise Unreadable("no_lines", path=path)
    return found, notes


def _lines(file: BinaryIO, most: int, path: str, notes: list[Note]) -> Iterator[str]:
    """The lines of a file, not more than are shown; what is left out is noted."""
    left, count = MOST_TEXT_BYTES, 0
    while line := file.readline(MOST_LINE_BYTES):
        if len(line) == MOST_LINE_BYTES:
            raise ValueError(f"a line of more than {MOST_LINE_BYTES} bytes")
        left -= len(line)
        if not line.strip():
            continue
        if count >= most or left < 0:
            notes.append(NOTES("points_cut", path=path, n=count))
            return
        count += 1
        yield line.decode()


def _plain_vectors(file: BinaryIO, info: Embedding) -> tuple[np.ndarray, list[Note]]:
    size = os.fstat(file.fileno()).st_size
    shape = info.shape
    if len(shape) != 2 or not all(shape) or shape[0] * shape[1] * 4 != size:
        raise Unreadable("no_shape", path=info.vectors, shape=str(tuple(shape)), n=size)
    points, width = shape
    if width > MOST_VALUES:
        raise Unreadable("wide", path=info.vectors, most=MOST_VALUES, n=width)
    most = min(points, MOST_POINTS, MOST_VALUES // width)
    found = np.frombuffer(file.read(4 * most * width), "<f4").reshape(most, width)
    cut = [NOTES("points_cut_of", path=info.vectors, total=points, n=most)] if most < points else []
    return found.astype(np.float32, copy=False), cut


def _from_checkpoint(place: Place, info: Embedding) -> np.ndarray:
    """Vectors out of a checkpoint, TapeFlow's or TensorFlow's, in the folder of the configuration."""
    try:
        path = asset_path(place.folder, place.checkpoint or latest_checkpoint(place.folder))
        for ending in ("", ".safetensors", ".index"):
            asset_path(place.folder, path + ending)
    except (OSError, ValueError) as error:
        raise Unreadable("no_checkpoint", name=info.tensor_name, error=str(error)) from None
    found = checkpoint_vectors(place.folder, path, info.tensor_name)
    if found is None:
        try:
            found = bundle_vectors(path, info.tensor_name, place.folder, MOST_VALUES)
        except (OSError, BundleError) as error:
            raise Unreadable("checkpoint", name=info.tensor_name, path=path, error=str(error)) from None
    return found[: min(MOST_POINTS, MOST_VALUES // max(found.shape[1], 1))]


def read_sprite(place: Place, info: Embedding) -> tuple[str, bytes]:
    """Kind and bytes of the picture of all pictures.

    Raises:
        Unreadable: it is none, or too large.
    """
    with opened(place.folder, info.sprite) as file:
        data = file.read(MOST_SPRITE_BYTES + 1)
    kind = KINDS[kind_of(data)]
    if not kind.startswith("image/") or len(data) > MOST_SPRITE_BYTES:
        raise Unreadable("no_picture", path=info.sprite, most=MOST_SPRITE_BYTES)
    return kind, data
