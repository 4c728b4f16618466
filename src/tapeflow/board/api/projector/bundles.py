"""Vectors out of a checkpoint that TensorFlow wrote: a table of names and places (`.index`), and files of data."""

from __future__ import annotations

import os

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.summary.event_files.reader import open_regular
from tapeflow.summary.event_files.sorted_table import table_entries
from tapeflow.summary.kinds.projector_files import asset_path
from tapeflow.summary.protos import message

MOST_INDEX_BYTES = 64 << 20
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
        entries = dict(table_entries(table))
        found = entries.get(wanted.encode()) or entries.get(f"{wanted}{_VALUE}".encode())
        if found is None:
            some = ", ".join(key.decode("utf-8", "replace") for key in list(entries)[1:6])
            raise BundleError(f"it has no {wanted!r}; it begins with {some}")
        shards = message("BundleHeaderProto").FromString(entries.get(b"", b"")).num_shards
        entry = message("BundleEntryProto").FromString(found)
    except BundleError:
        raise
    except (ValueError, DecodeError) as error:
        raise BundleError(f"there is no TensorFlow checkpoint of this name that is whole: {error}") from None
    shape, dtype = [d.size for d in entry.shape.dim], entry.dtype
    if len(shape) != 2 or min(shape) < 0 or dtype not in _DTYPES or shape[0] * shape[1] > most_values:
        raise BundleError(
            f"{wanted!r} expected a matrix of floats of at most {most_values} numbers; got shape {shape}"
        )
    kind = np.dtype(_DTYPES[dtype])
    data_path = asset_path(folder, f"{path}.data-{entry.shard_id:05d}-of-{shards:05d}")
    if entry.offset < 0 or entry.size != shape[0] * shape[1] * kind.itemsize:
        raise BundleError(f"its index says what cannot be of {wanted!r}")
    with open_regular(data_path, follows_links=False) as file:
        file.seek(entry.offset)
        data = file.read(entry.size)
    if len(data) != entry.size:
        raise BundleError(f"{os.path.basename(data_path)} is cut off")
    array = np.frombuffer(data, kind).reshape(shape)
    if dtype == _BFLOAT16:  # the upper half of a float32
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)
