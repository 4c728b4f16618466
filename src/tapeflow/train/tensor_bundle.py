"""A checkpoint that TensorFlow wrote: `name.index`, a table of tensors, and `name.data-00000-of-00001`, their bytes.

It has the methods of a `TensorFile`, so whatever reads and restores checkpoints takes either. As there, nothing in
it can run code or make us take more memory than the files are long, and checksums are checked.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.engine.values import dtypes
from tapeflow.io.folder_part import part_of
from tapeflow.summary.event_files.records import masked_crc
from tapeflow.summary.event_files.sorted_table import table_entries
from tapeflow.summary.event_files.wire import read_varint
from tapeflow.summary.protos import message
from tapeflow.train.object_graph import graph_nodes
from tapeflow.train.open_file import OpenFile
from tapeflow.train.tensor_file import BrokenFile

FORMAT = "tensorflow-checkpoint"
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
# What we add to it: the sizes that programs have met, and the state of objects that TensorFlow has not.
SIZES, STATE = "_TAPEFLOW_SIZES", "tapeflow_state"
_MOST_INDEX_BYTES = 100_000_000
_MOST_DIMENSIONS = 32
_STRING = dtypes.string.as_datatype_enum
_KNOWN = frozenset(d.as_datatype_enum for d in vars(dtypes).values() if isinstance(d, dtypes.DType))


class TensorBundle:
    """A checkpoint of TensorFlow's, open for reading.

    Args:
        prefix: its path without an ending.

    Raises:
        FileNotFoundError: there is no such checkpoint.
        BrokenFile: it is damaged, or a part of it is missing.
    """

    def __init__(self, prefix: str) -> None:
        self.path = Path(f"{prefix}.index")
        self._prefix = prefix
        self._shards: dict[int, OpenFile] = {}
        self._entries: dict[str, Any] = {}
        try:
            self._read_index()
            self.metadata = self._graph()
        except (ValueError, EOFError, DecodeError) as error:
            self.close()
            raise error if isinstance(error, BrokenFile) else self._broken(str(error)) from error

    def _read_index(self) -> None:
        index = OpenFile(self.path)
        try:
            if index.size > _MOST_INDEX_BYTES:
                raise ValueError("its index is too long")
            data = index.bytes(0, index.size)
        finally:
            index.close()
        entry_of, header = message("BundleEntryProto").FromString, message("BundleHeaderProto")()
        for key, value in table_entries(data):
            if key:
                self._entries[key.decode()] = entry_of(value)
            else:
                header.ParseFromString(value)
        if header.endianness:
            raise ValueError("its numbers are those of a big-endian machine")
        for name, entry in self._entries.items():
            self._check(name, entry, header.num_shards)

    def _check(self, name: str, entry: Any, shard_count: int) -> None:
        shape = [d.size for d in entry.shape.dim]
        numbers = [entry.offset, entry.size, entry.shard_id, *shape]
        is_sound = min(numbers) >= 0 and len(shape) <= _MOST_DIMENSIONS and entry.dtype in _KNOWN
        if is_sound and entry.slices:
            return  # it is no more than a name
        item = _numpy_dtype(entry) if is_sound else None
        is_sound = is_sound and entry.shard_id < shard_count
        if item is not None:
            is_sound = is_sound and math.prod(shape) * item.itemsize == entry.size
        elif entry.dtype == _STRING:
            is_sound = is_sound and math.prod(shape) <= entry.size  # each has its length there
        if not is_sound or entry.offset + entry.size > self._shard(entry.shard_id, shard_count).size:
            raise ValueError(f"it has no sound entry for {name[:100]!r}")

    def _shard(self, number: int, count: int) -> OpenFile:
        if number not in self._shards:
            index = Path(f"{self._prefix}.index")
            path = part_of(index.parent, f"{index.stem}.data-{number:05d}-of-{count:05d}")
            try:
                self._shards[number] = OpenFile(path)
            except OSError as error:
                raise ValueError(
                    f"its part {path.name!r} cannot be opened ({error.strerror}); a checkpoint is its `.index` and "
                    "all `.data` files"
                ) from error
        return self._shards[number]

    def _graph(self) -> dict[str, str]:
        if GRAPH not in self._entries:
            return {}  # one of TensorFlow 1, which knows names alone
        graph = message("TrackableObjectGraph").FromString(self.read(GRAPH)[()])
        strings = {name for name, entry in self._entries.items() if entry.dtype == _STRING}
        nodes = graph_nodes(graph, self._entries.keys(), strings)
        self._add_state(graph, nodes)
        sizes = bytes(self.read(SIZES)[()]).decode() if SIZES in strings else ""
        return {"format": FORMAT, "graph": json.dumps(nodes), "sizes": sizes}

    def _add_state(self, graph: Any, nodes: list[dict[str, Any]]) -> None:
        """Give nodes the state that we have written, where it is no tensor."""
        for message_node, node in zip(graph.nodes, nodes, strict=True):
            for attribute in message_node.attributes:
                if attribute.name == STATE and attribute.checkpoint_key in self._entries:
                    node.pop("foreign", None)
                    try:
                        node["state"] = json.loads(bytes(self.read(attribute.checkpoint_key)[()]))
                    except RecursionError as error:
                        raise ValueError("a state in it is nested too deeply") from error

    @property
    def names(self) -> list[str]:
        """The names of the tensors, in order."""
        return list(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __deepcopy__(self, memo: dict[int, Any]) -> TensorBundle:
        return self

    def close(self) -> None:
        """Let go of the files."""
        for shard in self._shards.values():
            shard.close()

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor."""
        return tuple(d.size for d in self._entries[name].shape.dim)

    def dtype(self, name: str) -> Any:
        """The dtype of a tensor: numpy's, or TensorFlow's for what numpy has none for."""
        entry = self._entries[name]
        if entry.dtype == _STRING:
            return np.dtype(object)
        return _numpy_dtype(entry) or dtypes.as_dtype(entry.dtype)

    def read(self, name: str) -> np.ndarray:
        """A tensor, checked against its checksum."""
        entry, shape = self._entries[name], self.shape(name)
        item = _numpy_dtype(entry)
        if entry.slices or (item is None and entry.dtype != _STRING):
            raise ValueError(
                f"Reading a checkpoint expected numbers or texts; got {name!r} in {str(self.path)!r}, "
                f"which {'lies there in slices' if entry.slices else 'only TensorFlow understands'}. Save it there as "
                "another kind of Variable."
            )
        array = np.empty(entry.size, np.uint8)
        try:
            self._shards[entry.shard_id].fill(array.data, entry.offset)
            checked, found = (array, array) if item is not None else _texts(array.tobytes(), shape)
        except (EOFError, ValueError, IndexError) as error:
            raise self._broken(f"tensor {name!r}: {error}") from error
        if masked_crc(checked) != entry.crc32c:  # pyright: ignore[reportArgumentType]
            raise self._broken(f"tensor {name!r} has changed since it was written")
        if item is None:
            return found
        if item == np.bool_ and array.size and array.max() > 1:
            raise self._broken(f"tensor {name!r} holds neither true nor false")
        return found.view(item).reshape(shape)

    def _broken(self, why: str) -> BrokenFile:
        return BrokenFile(
            f"Loading expected a whole TensorFlow checkpoint; got {str(self.path)!r}, which cannot be read: {why}. It "
            "may be truncated or damaged: use another copy."
        )


def _numpy_dtype(entry: Any) -> np.dtype[Any] | None:
    """The dtype of a tensor whose bytes are an array's."""
    found = dtypes.as_dtype(entry.dtype)
    is_plain = found.is_bool or found.is_floating or found.is_integer or found.is_complex
    return np.dtype(found.as_numpy_dtype) if is_plain else None


def _texts(data: bytes, shape: tuple[int, ...]) -> tuple[Any, np.ndarray]:
    """A tensor of texts: their lengths, a checksum of these, and the texts; with what the other checksum is of."""
    at, lengths = 0, []
    for _ in range(math.prod(shape)):
        length, at = read_varint(data, at)
        lengths.append(length)
    sizes = b"".join(n.to_bytes(4 if n < 1 << 32 else 8, "little") for n in lengths)
    rest = data[at:]
    if masked_crc(sizes) != int.from_bytes(rest[:4], "little") or sum(lengths) + 4 != len(rest):
        raise ValueError("its texts have other lengths than it says")
    found = np.empty(len(lengths), object)
    at += 4
    for i, length in enumerate(lengths):
        found[i] = data[at : at + length]
        at += length
    return sizes + rest, found.reshape(shape)
