"""Writes TensorFlow's checkpoints, sound ones and others, for the tests of reading them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.summary.event_files.records import masked_crc
from tapeflow.summary.event_files.wire import varint
from tapeflow.summary.protos import message

MAGIC = bytes.fromhex("57fb808b247547db")


def block(entries: Sequence[tuple[bytes, bytes]], kind: int = 0) -> bytes:
    """Entries that share nothing, with what follows them in a file."""
    body = b"".join(b"\0" + varint(len(k)) + varint(len(v)) + k + v for k, v in entries)
    body += bytes(4) + (1).to_bytes(4, "little") + bytes([kind])
    return body + masked_crc(body).to_bytes(4, "little")


def handle(begin: int, whole: bytes) -> bytes:
    return varint(begin) + varint(len(whole) - 5)


def table(*blocks: bytes, places: Sequence[bytes] | None = None) -> bytes:
    """Blocks one after the other; `places` says where they are, if not there."""
    at, found = 0, []
    for each in blocks:
        found.append(handle(at, each))
        at += len(each)
    index = block([(bytes([i]), place) for i, place in enumerate(places or found)])
    footer = (varint(0) * 2 + handle(at, index)).ljust(40, b"\0") + MAGIC
    return b"".join(blocks) + index + footer


def entry(value: np.ndarray, at: int, **changes: Any) -> Any:
    made = message("BundleEntryProto")(dtype=as_dtype(value.dtype).as_datatype_enum, offset=at)
    for size in value.shape:
        made.shape.dim.add(size=size)
    made.size, made.crc32c = value.nbytes, masked_crc(value.tobytes())
    for name, change in changes.items():
        setattr(made, name, change)
    return made


def write_bundle(
    prefix: Path, tensors: dict[str, np.ndarray], changes: dict[str, Any] | None = None, **header: Any
) -> None:
    """A checkpoint of these arrays; `changes` are made to the entry of the first."""
    data, entries = b"", []
    for i, (name, value) in enumerate(sorted(tensors.items())):
        made = entry(value, len(data), **(changes or {} if not i else {}))
        entries.append((name.encode(), made.SerializeToString()))
        data += value.tobytes()
    head = message("BundleHeaderProto")(**{"num_shards": 1, **header})
    index = table(block([(b"", head.SerializeToString()), *entries]))
    Path(f"{prefix}.index").write_bytes(index)
    Path(f"{prefix}.data-00000-of-00001").write_bytes(data)
