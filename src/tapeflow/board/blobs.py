"""What kind of thing some bytes are, and what of it a browser may be shown.

The kind is found from the bytes, never from what a file claims. Only kinds that cannot run anything are served as
what they are.
"""

from __future__ import annotations

import numpy as np

from tapeflow.board.series import Series
from tapeflow.summary.event_files.values import Value
from tapeflow.summary.kinds.meshes import mesh_array, mesh_part

KINDS = (
    "application/octet-stream",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/bmp",
    "audio/wav",
    "audio/mpeg",
    "audio/ogg",
    "audio/flac",
    "video/mp4",
    "video/webm",
    "application/json",
)
"""The kinds of blobs. Their numbers are kept on disk: add at the end."""

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)


def kind_of(data: bytes) -> int:
    """The number of the kind these bytes are of; 0 for what is not known."""
    head = data[:16]
    if head[:4] == b"RIFF":
        name = {b"WAVE": "audio/wav", b"WEBP": "image/webp"}.get(head[8:12])
    elif head[4:8] == b"ftyp":
        name = "video/mp4"
    else:
        name = next((name for start, name in _STARTS if head.startswith(start)), None)
    return KINDS.index(name) if name else 0


def facts_of(value: Value) -> tuple[int, int, int, int]:
    """Samples, width, height and kind of a value that is not a number."""
    array = value.array
    if value.plugin == "mesh" and array.ndim == 3:
        return len(array), array.shape[1], 0, 0
    if array.dtype != object:
        return 1, 0, 0, 0
    if value.plugin == "images" and array.ndim == 1 and len(array) >= 2:
        kind = kind_of(array[2]) if len(array) > 2 else 0
        return len(array) - 2, _size(array[0]), _size(array[1]), kind
    if value.plugin == "audio" and array.size:
        return len(array) if array.ndim else 1, 0, 0, kind_of(array.ravel()[0])
    if value.plugin == "video" and array.size:
        return array.size, 0, 0, kind_of(array.ravel()[0])
    return 1, 0, 0, KINDS.index("application/json")


def sample_of(value: Value, sample: int) -> bytes | None:
    """The bytes of one sample of a picture, sound, video or mesh; None if it has no such sample."""
    array = value.array
    if value.plugin == "mesh":
        return _mesh_bytes(value, sample)
    if array.dtype != object or not array.size:
        return None
    if value.plugin == "images":
        samples = array[2:] if array.ndim == 1 else np.zeros(0, object)
    elif value.plugin == "audio":
        samples = array[:, 0] if array.ndim == 2 else array.ravel()
    else:
        samples = array.ravel()
    return samples[sample] if 0 <= sample < len(samples) else None


def _mesh_bytes(value: Value, sample: int) -> bytes | None:
    """Points as float32, triangles as int32 or colours as uint8, three numbers each, little-endian."""
    array, (part, _) = value.array, mesh_part(value.content)
    is_sound = part and array.ndim == 3 and array.shape[2] == 3 and array.dtype.kind in "fiuV"
    if not is_sound or not 0 <= sample < len(array):
        return None
    with np.errstate(invalid="ignore"):
        return mesh_array(part, array[sample : sample + 1]).tobytes()


def strings_of(value: Value, most: int) -> list[str]:
    """The first elements of a value as text, in order."""
    flat = value.array.ravel()[:most].tolist()
    return [e.decode("utf-8", "replace") if isinstance(e, bytes) else str(e) for e in flat]


def holds_gifs(series: Series) -> bool:
    """Whether the first picture of a series is a GIF: the way to log a video as an image."""
    return bool((series.columns["kinds"][:1] == KINDS.index("image/gif")).any())


def _size(text: bytes) -> int:
    return int(text) if text.isdigit() and len(text) < 7 else 0
