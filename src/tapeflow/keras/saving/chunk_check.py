"""A look at how a dataset of an HDF5 file is stored, before the library reads it.

The library takes memory for whole chunks, which may be larger than the dataset, and unpacks a compressed chunk to
whatever it holds, which may be more than a chunk. So chunks may not be much larger than the dataset, nor be said to be
larger than the file when compressed; the filters must be those that h5py itself has; and compressed chunks are unpacked
here first, up to the size of a chunk.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import h5py
import h5py.h5z

_DEFLATE, _SHUFFLE, _FLETCHER32 = h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32
_PACKING = (_DEFLATE, h5py.h5z.FILTER_SZIP, h5py.h5z.FILTER_LZF)
# Any other filter makes the library look for a plugin to load.
_KNOWN = (*_PACKING, _SHUFFLE, _FLETCHER32)
_SMALL_CHUNK_BYTES = 1 << 24
_CHECKSUM_BYTES = 4


def check_chunks(found: h5py.Dataset) -> None:
    """Raise if reading a dataset would take much more memory than its shape says.

    Raises:
        ValueError: a chunk is too large, or is compressed in a way that is not read.
    """
    chunk = found.chunks
    if chunk is None:
        return
    size = math.prod(chunk) * found.dtype.itemsize
    if size > max(_SMALL_CHUNK_BYTES, math.prod(found.shape) * found.dtype.itemsize):
        raise ValueError(
            f"Loading expected chunks no larger than the array {found.name} of shape {found.shape}; got chunks of "
            f"shape {chunk}. The file is damaged or was made to exhaust memory."
        )
    filters = _filters(found)
    packing = [code for code in filters if code in _PACKING]
    if len(packing) > 1 or any(code not in _KNOWN for code in filters):
        raise ValueError(
            f"Loading expected the array {found.name} to be stored with gzip, lzf or szip compression at most; got the "
            f"filters {filters}. Write the file again without them."
        )
    if not filters:
        return
    stored: list[Any] = []
    found.id.chunk_iter(stored.append)
    room = found.file.id.get_filesize()
    if any(part.size > room for part in stored):
        raise ValueError(
            f"Loading expected a whole HDF5 file; got the array {found.name} with a chunk that claims to "
            "be larger than the "
            f"file's {room} bytes. It may be truncated or damaged: use another copy."
        )
    if _DEFLATE in filters:
        _check_packed(found, stored, filters.index(_DEFLATE), size + _CHECKSUM_BYTES)


def _filters(found: h5py.Dataset) -> list[int]:
    properties = found.id.get_create_plist()
    return [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]


def _check_packed(found: h5py.Dataset, stored: list[Any], place: int, limit: int) -> None:
    """Unpack each stored chunk up to a limit; `place` is that of compression among the filters."""
    for chunk in stored:
        if chunk.filter_mask >> place & 1:
            continue  # it became no smaller, and was left as it is
        _, data = found.id.read_direct_chunk(chunk.chunk_offset)
        try:
            unpacked = zlib.decompressobj().decompress(data, limit + 1)
        except zlib.error as error:
            raise ValueError(
                f"Loading expected a whole HDF5 file; got the array {found.name} with a broken chunk ({error}). It may "
                "be truncated or damaged: use another copy."
            ) from error
        if len(unpacked) > limit:
            raise ValueError(
                f"Loading expected chunks of at most {limit} bytes in the array {found.name}; got one that unpacks to "
                "more. The file is damaged or was made to exhaust memory."
            )
