"""The files of the projector: its configuration, vectors, labels, and pictures in one sprite.

All are written whole or not at all. TensorBoard reads them beside the event files.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from google.protobuf import text_format

from tapeflow.summary.kinds.images import png, to_uint8
from tapeflow.summary.processes import is_alive
from tapeflow.summary.protos import message

CONFIG = "projector_config.pbtxt"
FOLDER = "projector"
_writing: set[str] = set()  # temporary files of this process
_LONGEST_NAME = 50
_MOST_PIXELS = 8192  # of a sprite's side: what graphics cards take


def write_file(path: str, data: bytes) -> None:
    """Put data into a file that others see either as it was or as it will be.

    What a process that was killed left beside it is removed.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    _remove_leftovers(path)
    temporary = f"{path}.{socket.gethostname()}.{os.getpid()}-{secrets.token_hex(6)}.tmp"
    _writing.add(temporary)
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        _writing.discard(temporary)


def _remove_leftovers(path: str) -> None:
    """Remove temporary files for a path whose writers, processes of this machine, are no more."""
    folder, name = os.path.split(path)
    form = re.compile(re.escape(f"{name}.{socket.gethostname()}.") + r"(\d+)-[0-9a-f]+\.tmp")
    for found in os.listdir(folder or "."):
        match, left = form.fullmatch(found), os.path.join(folder, found)
        if match is not None and left not in _writing and not _is_of_another(int(match[1])):
            with suppress(OSError):
                os.unlink(left)


def _is_of_another(process: int) -> bool:
    """Whether a number is that of another process that is running."""
    return process != os.getpid() and is_alive(process)


def safe_name(name: str) -> str:
    """A name as that of a folder; names that differ stay different."""
    found = "".join(c if c.isalnum() or c in "-_." else f"%{ord(c):02x}" for c in name)
    if len(found) > _LONGEST_NAME:
        found = f"{found[:_LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return found.replace("..", "%2e%2e")


def asset_path(logdir: str | os.PathLike[str], path: str) -> str:
    """Where a file lies that a configuration names.

    Raises:
        ValueError: not in the run's folder. A log folder may come from anybody, and names no files of ours.
    """
    folder = os.path.realpath(logdir)
    found = os.path.realpath(os.path.join(folder, path))
    if os.path.commonpath([folder, found]) != folder:
        raise ValueError(
            f"the projector expected files in {folder!r}; got path={path!r}, which is outside of it"
        )
    return found


def read_config(logdir: str) -> Any:
    """The ProjectorConfig message of a run; an empty one if it has none.

    Raises:
        ValueError: the file is there and cannot be read.
    """
    path = os.path.join(logdir, CONFIG)
    try:
        with open(path, encoding="utf-8") as file:
            return text_format.Parse(file.read(), message("projector.ProjectorConfig")())
    except FileNotFoundError:
        return message("projector.ProjectorConfig")()
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise ValueError(
            f"tf.summary.embedding expected a projector configuration in {path!r}; got a file that is none: "
            f"{error}. Move it away."
        ) from None


def write_config(logdir: str, config: Any) -> None:
    """Write the projector's configuration of a run."""
    write_file(os.path.join(logdir, CONFIG), text_format.MessageToString(config).encode())


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Be the only one, of all threads and processes, to change what is in a folder."""
    try:
        import fcntl  # not on Windows
    except ImportError:  # not POSIX
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def vectors_file(vectors: np.ndarray) -> tuple[str, bytes]:
    """How a file of vectors ends, and what is in it.

    Plain float32 is small and quick; but TensorBoard first takes a file for text, and only if its first line is
    none does it look for floats. The few arrays it would mistake are written as text.
    """
    floats = np.ascontiguousarray(vectors, "<f4")
    data = floats.tobytes()
    line = data[: data.find(b"\n") + 1] or data
    try:
        line.decode()
    except UnicodeDecodeError:
        return "bytes", data
    file = io.StringIO()
    np.savetxt(file, floats, fmt="%.9g", delimiter="\t")
    return "tsv", file.getvalue().encode()


def metadata_file(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Columns of texts, a line for each point; with a line of names if there are several."""
    rows = [[_cell(c) for c in row] for row in zip(*columns.values(), strict=True)]
    if len(columns) > 1:
        rows.insert(0, [_cell(name) for name in columns])
    # A line that is empty would be passed over, and all that follow belong to the wrong point.
    return "".join(["\t".join(row if any(row) else [" ", *row[1:]]) + "\n" for row in rows]).encode()


def _cell(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return " ".join(text.split()) if any(c in text for c in "\t\n\r\x0b\x0c\x85\u2028\u2029") else text


def sprite_file(images: np.ndarray) -> tuple[bytes, tuple[int, int]]:
    """Pictures in as many rows as columns, as one PNG, and the width and height of each in it."""
    count, height, width = images.shape[:3]
    side = int(np.ceil(np.sqrt(count)))
    shrink = -(-max(height, width) * side // _MOST_PIXELS)
    pixels = to_uint8(images[:, ::shrink, ::shrink]).reshape(
        count, -(-height // shrink), -(-width // shrink), -1
    )
    _, height, width, channels = pixels.shape
    whole = np.full((side * side, height, width, channels), 255, np.uint8)
    whole[:count] = pixels
    grid = whole.reshape(side, side, height, width, channels).swapaxes(1, 2)
    return png(grid.reshape(side * height, side * width, channels)), (width, height)
