"""Writes what `tensor_bundle` reads: a checkpoint in TensorFlow's own format, which TensorFlow restores.

The graph of objects is TensorFlow's message. What only we have (the places of iterators, the random counters of layers,
the sizes that programs have met) is there too, under names that TensorFlow leaves alone, so that a training goes on
from such a checkpoint as exactly as from one of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.dtypes import string as string_dtype
from tapeflow.summary.event_files.records import masked_crc
from tapeflow.summary.event_files.sorted_table_writer import table_of
from tapeflow.summary.event_files.wire import varint
from tapeflow.summary.protos import message
from tapeflow.train.atomic import replacing
from tapeflow.train.open_file import BLOCK_BYTES
from tapeflow.train.plain_state import unpacked
from tapeflow.train.tensor_bundle import GRAPH, SIZES, STATE

ATTRIBUTES = "/.ATTRIBUTES/"
VALUE, PYTHON_STATE = "VARIABLE_VALUE", "py_state"


def write_checkpoint(prefix: str, tensors: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write a checkpoint in TensorFlow's format.

    Args:
        prefix: its path without an ending.
        tensors: by name, as `checkpoint.contents` gives them.
        metadata: the graph of objects, as `checkpoint.contents` gives it, and the sizes that programs have met.
    """
    held: dict[str, Any] = dict(tensors)
    graph = object_graph(json.loads(metadata["graph"]), held)
    held[GRAPH] = texts(graph.SerializeToString())
    if metadata.get("sizes"):
        held[SIZES] = texts(metadata["sizes"].encode())
    write_bundle(prefix, held)


def object_graph(nodes: list[dict[str, Any]], tensors: dict[str, Any]) -> Any:
    """The message `TrackableObjectGraph` of the nodes of one of our graphs.

    Args:
        nodes: as `checkpoint.contents` describes them.
        tensors: by name; texts and state that is no tensor are added to them.
    """
    graph = message("TrackableObjectGraph")()
    for node in nodes:
        found = graph.nodes.add()
        for name, number in node["children"].items():
            found.children.add(node_id=number, local_name=name)
        if "tensor" in node:
            found.attributes.add(name=VALUE, full_name=node["name"], checkpoint_key=node["tensor"])
        elif "strings" in node:
            key = f"{node['name']}{ATTRIBUTES}{VALUE}"
            tensors[key] = unpacked(node["strings"], lambda name: np.asarray(tensors[name]))
            found.attributes.add(name=VALUE, full_name=node["name"], checkpoint_key=key)
        elif "state" in node and list(node["state"]) == [
            "$bytes"
        ]:  # a PythonState's, which TensorFlow has too
            key = f"{node['name']}{ATTRIBUTES}{PYTHON_STATE}"
            tensors[key] = texts(unpacked(node["state"], lambda name: tensors[name]))
            found.attributes.add(name=PYTHON_STATE, full_name=node["name"], checkpoint_key=key)
        elif "state" in node:
            key = f"{node['name']}{ATTRIBUTES}{STATE}"
            tensors[key] = texts(json.dumps(node["state"], separators=(",", ":")).encode())
            found.attributes.add(name=STATE, full_name=node["name"], checkpoint_key=key)
    return graph


def texts(value: bytes) -> np.ndarray:
    """A tensor of one text."""
    return np.array(value, object)


def write_bundle(prefix: str, tensors: Mapping[str, Any]) -> None:
    """Write tensors to `prefix.index` and `prefix.data-00000-of-00001`.

    Each file is replaced whole. The data come first: until the index is there too, the checkpoint counts as damaged
    if there was another one of this name before.

    Args:
        prefix: the path without an ending.
        tensors: by name; numbers, booleans, or arrays of bytes and texts.
    """
    arrays = {name: np.asarray(value) for name, value in tensors.items()}
    data, index = Path(f"{prefix}.data-00000-of-00001"), Path(f"{prefix}.index")
    entries = [(b"", message("BundleHeaderProto")(num_shards=1).SerializeToString())]
    with ExitStack() as stack:
        listing = stack.enter_context(replacing(index))
        with replacing(data) as temporary, temporary.open("wb") as file:
            for name in sorted(arrays, key=str.encode):
                entry = _written(file, name, arrays[name])
                entries.append((name.encode(), entry.SerializeToString()))
        listing.write_bytes(table_of(entries))


def _written(file: BinaryIO, name: str, value: np.ndarray) -> Any:
    """Write a tensor; returns its entry."""
    is_text = value.dtype == object or value.dtype.kind in "SU"
    dtype = string_dtype if is_text else as_dtype(value.dtype)
    entry = message("BundleEntryProto")(dtype=dtype.as_datatype_enum, offset=file.tell())
    for size in value.shape:
        entry.shape.dim.add(size=size)
    entry.shape.SetInParent()
    if is_text:
        written, entry.crc32c = _texts(name, value)
        file.write(written)
    else:
        laid_out = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        raw = laid_out.reshape(-1).view(np.uint8)
        entry.crc32c = masked_crc(raw)  # pyright: ignore[reportArgumentType]
        for start in range(0, len(raw), BLOCK_BYTES):
            file.write(raw.data[start : start + BLOCK_BYTES])
    entry.size = file.tell() - entry.offset
    return entry


def _texts(name: str, value: np.ndarray) -> tuple[bytes, int]:
    """The bytes of a tensor of texts: their lengths, a checksum of these, and the texts; and the checksum of it all."""
    items = list(_as_bytes(name, value))
    sizes = b"".join(len(item).to_bytes(4 if len(item) < 1 << 32 else 8, "little") for item in items)
    rest = masked_crc(sizes).to_bytes(4, "little") + b"".join(items)
    return b"".join(varint(len(item)) for item in items) + rest, masked_crc(sizes + rest)


def _as_bytes(name: str, value: np.ndarray) -> Iterator[bytes]:
    for item in value.reshape(-1):
        if not isinstance(item, (bytes, str)):
            raise TypeError(
                f"Writing a checkpoint expected numbers or texts; got {name!r} with a {type(item).__name__} in it. "
                "Convert it first."
            )
        yield item.encode() if isinstance(item, str) else bytes(item)
