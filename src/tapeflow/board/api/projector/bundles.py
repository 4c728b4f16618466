"""Vectors out of a checkpoint that TensorFlow wrote: a table of names and places (`.index`), and files of data.

The table is LevelDB's: blocks of sorted keys, each key given by how much of it the one before it shares, an index of
the blocks, and a footer that says where the index is. TensorFlow compresses none of it. Nothing is run or unpickled.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

import numpy as np

from tapeflow.summary.projector_files import asset_path
from tapeflow.summary.reader import open_regular
from tapeflow.summary.wire import fields, read_varint

MOST_INDEX_BYTES = 64 << 20
_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_DTYPES = {1: "<f4", 2: "<f8", 14: "<u2", 19: "<f2"}  # DT_FLOAT, DT_DOUBLE, DT_BFLOAT16, DT_HALF
_BFLOAT16 = 14


class BundleError(ValueError):
    """Not a checkpoint of TensorFlow's, or not with what was asked for."""


def bundle_vectors(path: str, name: str, folder: str, most_values: int) -> np.ndarray:
    """A matrix of a checkpoint, as float32.

    Args:
        path: the checkpoint's, without `.index`.
        name: a name in it: `embedding/.ATTRIBUTES/VARIABLE_VALUE`, just `embedding`, or an old one with `:0`.
        folder: the files must lie in it.
        most_values: a larger one is refused.
    """
    with open_regular(f"{path}.index", follows_links=False) as file:
        table = file.read(MOST_INDEX_BYTES + 1)
    if len(table) > MOST_INDEX_BYTES:
        raise BundleError(f"an index of more than {MOST_INDEX_BYTES} bytes")
    wanted = name.removesuffix(":0")
    try:
        entries = dict(_entries(table))
        shards = _number(entries[b""], 1)
        entry = entries.get(wanted.encode()) or entries.get(f"{wanted}{_VALUE}".encode())
        if entry is None:
            some = ", ".join(key.decode("utf-8", "replace") for key in list(entries)[1:6])
            raise BundleError(f"it has no {wanted!r}; it begins with {some}")
        dtype, shape, shard, offset, size = _described(entry)
    except BundleError:
        raise
    except (LookupError, ValueError, struct.error) as error:
        raise BundleError(f"its index is damaged ({error})") from None
    if len(shape) != 2 or dtype not in _DTYPES or shape[0] * shape[1] > most_values:
        raise BundleError(
            f"{wanted!r} expected a matrix of floats of at most {most_values} numbers; got shape {shape}"
        )
    data_path = asset_path(folder, f"{path}.data-{shard:05d}-of-{shards:05d}")
    with open_regular(data_path, follows_links=False) as file:
        file.seek(offset)
        data = file.read(size)
    kind = np.dtype(_DTYPES[dtype])
    if len(data) != size or size != shape[0] * shape[1] * kind.itemsize:
        raise BundleError(f"{os.path.basename(data_path)} is cut off")
    array = np.frombuffer(data, kind).reshape(shape)
    if dtype == _BFLOAT16:  # the upper half of a float32
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)


def _entries(table: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a table."""
    if len(table) < _FOOTER or struct.unpack_from("<Q", table, len(table) - 8)[0] != _MAGIC:
        raise BundleError("there is no TensorFlow checkpoint of this name")
    at = len(table) - _FOOTER
    _, at = _handle(table, at)
    index, _ = _handle(table, at)
    for _, value in _block(table, index):
        handle, _ = _handle(value, 0)
        yield from _block(table, handle)


def _block(table: bytes, handle: tuple[int, int]) -> Iterator[tuple[bytes, bytes]]:
    begin, size = handle
    block = table[begin : begin + size]
    if len(block) < size or table[begin + size] != 0:
        raise BundleError("its index is cut off or compressed")
    (restarts,) = struct.unpack_from("<I", block, size - 4)
    end, at, key = size - 4 * (restarts + 1), 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        fresh, at = read_varint(block, at)
        length, at = read_varint(block, at)
        key = key[:shared] + block[at : at + fresh]
        at += fresh
        yield key, block[at : at + length]
        at += length


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (offset, size), at


def _described(entry: bytes) -> tuple[int, list[int], int, int, int]:
    """Type, shape, number of the file, place and size in it: a BundleEntryProto."""
    found = {1: 0, 3: 0, 4: 0, 5: 0}
    shape: list[int] = []
    for number, value in _fields(entry):
        if number == 2 and isinstance(value, bytes):
            for dimension, inner in _fields(value):
                if dimension == 2 and isinstance(inner, bytes):
                    shape.append(_number(inner, 1))
        elif number in found and isinstance(value, int):
            found[number] = value
    return found[1], shape, found[3], found[4], found[5]


def _number(data: bytes, wanted: int) -> int:
    """A number of a message, 0 if it is not there."""
    return next((value for number, value in _fields(data) if number == wanted and isinstance(value, int)), 0)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: numbers, and what has a length."""
    for number, kind, begin, end in fields(data, 0, len(data)):
        if kind == 0:
            yield number, read_varint(data, begin)[0]
        elif kind == 2:
            yield number, data[begin:end]
