"""One value of a Summary message, whatever wrote it, in the form that tensors have today.

Older files hold images, sounds, histograms and numbers in fields of their own; here they become what
`tf.summary` writes now, with the plugin that shows them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.summary.event_files.tensors import array_of
from tapeflow.summary.protos import message


class Value:
    """A tagged value: its array, and the plugin's name, content and description that came with it."""

    __slots__ = ("array", "content", "description", "plugin", "tag")

    def __init__(self, tag: str, array: np.ndarray, plugin: str, content: bytes, description: str) -> None:
        self.tag = tag
        self.array = array
        self.plugin = plugin
        self.content = content
        self.description = description


def value_of(proto: Any) -> Value | None:
    """A `Summary.Value` message as a `Value`; None if it holds nothing.

    Raises:
        ValueError: what it holds is not well formed.
    """
    kind, metadata = proto.WhichOneof("value"), proto.metadata
    read = _READERS.get(kind)
    if read is not None:
        array, plugin = read(getattr(proto, kind))
    elif kind is None and metadata.plugin_data.plugin_name == "hparams":
        array, plugin = (
            np.zeros(0, np.float32),
            "",
        )  # PyTorch leaves it out: all there is to say is in the metadata
    else:
        return None
    return Value(
        proto.tag,
        array,
        metadata.plugin_data.plugin_name or plugin,
        metadata.plugin_data.content,
        metadata.summary_description,
    )


def plugin_of(metadata: bytes) -> tuple[str, bytes, str]:
    """Plugin, content and description of a serialised SummaryMetadata."""
    found = message("SummaryMetadata").FromString(metadata)
    return found.plugin_data.plugin_name, found.plugin_data.content, found.summary_description


def _tensor(proto: Any) -> tuple[np.ndarray, str]:
    return array_of(proto), ""


def _number(number: float) -> tuple[np.ndarray, str]:
    return np.array(number, np.float32), "scalars"


def _image(proto: Any) -> tuple[np.ndarray, str]:
    parts = [str(proto.width).encode(), str(proto.height).encode(), proto.encoded_image_string]
    return np.array(parts, dtype=object), "images"


def _audio(proto: Any) -> tuple[np.ndarray, str]:
    return np.array([[proto.encoded_audio_string, b""]], dtype=object), "audio"


def _histogram(proto: Any) -> tuple[np.ndarray, str]:
    """Buckets between limits, the outer ones drawn in to the least and the largest element."""
    counts = np.array(proto.bucket, np.float64)
    limits = np.array(proto.bucket_limit, np.float64)
    if len(counts) != len(limits):
        raise ValueError(f"a histogram of {len(counts)} buckets with {len(limits)} limits")
    held = np.flatnonzero(counts > 0)
    if not held.size:
        return np.zeros((0, 3)), "histograms"
    first, last = held[0], held[-1]
    left = np.concatenate([[proto.min], limits[:-1]]) if len(limits) else limits
    found = np.stack([left, limits, counts], axis=1)[first : last + 1]
    found[0, 0], found[-1, 1] = proto.min, proto.max
    return found, "histograms"


_READERS: dict[Any, Any] = {
    "tensor": _tensor,
    "simple_value": _number,
    "image": _image,
    "audio": _audio,
    "histo": _histogram,
}
