"""`tf.summary.embedding`: points in many dimensions, for the projector."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit_together, tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.images import check_pictures
from tapeflow.summary.kinds.projector_files import (
    FOLDER,
    locked,
    metadata_file,
    read_config,
    safe_name,
    sprite_file,
    vectors_file,
    write_config,
    write_file,
)
from tapeflow.summary.remote import is_remote

_NAME = re.compile(r"(.*) \(step (-?\d+)\)", re.DOTALL)
_PYTORCH_NAME = re.compile(r"(.*):(\d{5,})", re.DOTALL)
_ALIVE = "events.out.tfevents.{:010d}.projector.profile-empty"


def embedding(
    name: str,
    vectors: npt.ArrayLike,
    labels: npt.ArrayLike | None = None,
    images: np.ndarray | None = None,
    metadata: Mapping[str, Any] | None = None,
    step: SupportsInt | None = None,
) -> bool:
    """Write an embedding: vectors that the projector shows in two or three dimensions.

    Another call with the same name adds a step; nothing has to be deleted or restarted. The files go to
    `projector/` in the run's folder, and `projector_config.pbtxt` beside its event file names them. They are made
    by the writer's thread, once the values are there.

    Args:
        name: what they are called; the name scope is put in front of it.
        vectors: the points, of shape `[points, dimensions]`: an array, a tensor, or a Variable such as the weights
            of an `Embedding` layer. Further dimensions are flattened.
        labels: a label for each point: texts or numbers.
        images: a picture for each point, of shape `[points, height, width, channels]`; floats from 0 to 1 or uint8.
        metadata: further columns by name, each with a value for each point.
        step: the step, unless there is a default one.

    Returns:
        Whether it was recorded.

    >>> tf.summary.embedding("digits", model.predict(x), labels=y, images=x[..., None] / 16, step=epoch)
    """
    writer = recording_writer()
    if not isinstance(writer, FileWriter):
        return False
    if is_remote(writer.logdir):
        raise ValueError(
            f"tf.summary.embedding expected a writer to a local folder; got one to {writer.logdir!r}. Log to a local "
            "folder, and copy it."
        )
    columns = {} if labels is None else {"label": labels}
    columns.update(metadata or {})
    has_images = images is not None
    data = [vectors, *([images] if has_images else []), *columns.values()]
    tag = tag_of(name, "embedding")
    encode = partial(_write, writer.logdir, tag, list(columns), has_images)
    check = partial(_check, list(columns), has_images)
    return emit_together(writer, tag, data, step, encoding.metadata(FOLDER), encode, check, takes_step=True)


def _check(columns: list[str], has_images: bool, vectors: Any, *others: Any) -> None:
    shape = tuple(vectors.shape)
    if len(shape) < 2 or not all(shape) or vectors.dtype.kind not in "fiubV":
        raise ValueError(
            "tf.summary.embedding expected vectors of shape [points, dimensions], numbers; got shape "
            f"{shape} and dtype {vectors.dtype}."
        )
    names = [*(["images"] if has_images else []), *columns]
    for name, value in zip(names, others, strict=True):
        if not value.shape or value.shape[0] != shape[0]:
            raise ValueError(
                f"tf.summary.embedding expected {name} for each of the {shape[0]} points; got {name} of shape "
                f"{tuple(value.shape)}."
            )
    if has_images:
        images = tuple(others[0].shape)
        check_pictures("embedding", (*images, 1) if len(images) == 3 else images, np.dtype(others[0].dtype))


def _write(
    logdir: str,
    tag: str,
    columns: list[str],
    has_images: bool,
    step: SupportsInt,
    vectors: np.ndarray,
    *others: Any,
) -> None:
    """Write the files of one step, and enter them in the configuration."""
    step = int(step)
    images, texts = (others[0], others[1:]) if has_images else (None, others)
    points = vectors.reshape(len(vectors), -1)
    place = f"{FOLDER}/{safe_name(tag)}/step_{step}"
    ending, data = vectors_file(points)
    files = {f"vectors.{ending}": data}
    info: dict[str, Any] = {"tensor_name": f"{tag} (step {step})", "tensor_shape": points.shape}
    info["tensor_path"] = f"{place}/vectors.{ending}"
    if columns:
        lists = [column.reshape(len(column), -1)[:, 0].tolist() for column in texts]
        files["metadata.tsv"] = metadata_file(dict(zip(columns, lists, strict=True)))
        info["metadata_path"] = f"{place}/metadata.tsv"
    if images is not None:
        files["sprite.png"], size = sprite_file(images)
        info["sprite"] = {"image_path": f"{place}/sprite.png", "single_image_dim": size}
    for name, content in files.items():
        write_file(os.path.join(logdir, *place.split("/"), name), content)
    with locked(logdir):
        config = read_config(logdir)
        kept = [e for e in config.embeddings if e.tensor_name != info["tensor_name"]]
        del config.embeddings[:]
        config.embeddings.add(**info)  # the first is what TensorBoard shows at first
        config.embeddings.extend(kept)
        write_config(logdir, config)
        _announce(logdir, place)


def _announce(logdir: str, place: str) -> None:
    """Have TensorBoard read the configuration again.

    It does so only when the set of runs has changed, that is, of folders with event files. So the folder of the
    newest step, and no other, has one in it, with nothing to say; our own reader passes it over.
    """
    above = os.path.join(logdir, *place.split("/")[:-1])
    now = time.time()
    path = os.path.join(logdir, *place.split("/"), _ALIVE.format(int(now)))
    write_file(path, record(encoding.version_event(now)))
    for entry in os.scandir(above):
        for file in os.scandir(entry) if entry.is_dir() else ():
            if file.name.endswith(".projector.profile-empty") and file.path != path:
                os.unlink(file.path)


class Embedding(NamedTuple):
    """What a projector's configuration says of one set of points. Paths are relative to the run's folder.

    Attributes:
        name: the name it was logged with.
        step: its step; None if its name has none, in our way or in PyTorch's.
        shape: points and dimensions; empty if the configuration does not say.
        vectors: the file of vectors; "" if they are in a checkpoint.
        metadata: the file of labels; "" if there is none.
        sprite: the picture of all pictures; "" if there is none.
        picture_size: width and height of each picture in it.
        bookmarks: the file of views somebody kept; "" if there is none.
        tensor_name: what the configuration calls it, step and all.
    """

    name: str
    step: int | None
    shape: tuple[int, ...]
    vectors: str
    metadata: str
    sprite: str
    picture_size: tuple[int, ...]
    bookmarks: str = ""
    tensor_name: str = ""


def read_embeddings(logdir: str | os.PathLike[str]) -> list[Embedding]:
    """The sets of points of a run's folder, by name and step."""
    found = []
    for info in read_config(os.fspath(logdir)).embeddings:
        named = _NAME.fullmatch(info.tensor_name) or _PYTORCH_NAME.fullmatch(info.tensor_name)
        found.append(
            Embedding(
                named[1] if named else info.tensor_name,
                int(named[2]) if named else None,
                tuple(info.tensor_shape),
                info.tensor_path,
                info.metadata_path,
                info.sprite.image_path,
                tuple(info.sprite.single_image_dim),
                info.bookmarks_path,
                info.tensor_name,
            )
        )
    return sorted(found, key=lambda e: (e.name, -1 if e.step is None else e.step))


def read_vectors(path: str | os.PathLike[str], shape: Sequence[int] = ()) -> np.ndarray:
    """The vectors of a file, as float32: text, or plain floats of a known shape."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        rows = [line.split("\t") for line in data.decode().splitlines() if line]
        return np.array(rows, np.float32)
    except ValueError:  # not text, or not numbers
        floats = np.frombuffer(data[: len(data) // 4 * 4], "<f4")
    if len(shape) != 2 or floats.size != shape[0] * shape[1] or len(data) % 4:
        raise ValueError(
            f"{os.fspath(path)!r} expected vectors of shape {tuple(shape)}; got {len(data)} bytes"
        )
    return floats.reshape(shape)
