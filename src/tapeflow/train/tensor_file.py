"""Tensors in one file: the safetensors format, with checksums of our own in its metadata.

A file is eight bytes with the length of a header, the header (JSON: for each tensor its dtype, shape and
place), then the tensors' bytes. Nothing in it can run code or make us take more memory than the file is long.
Files of other writers are read too; those have no checksums.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from tapeflow.train.atomic import replacing
from tapeflow.train.open_file import BLOCK_BYTES, OpenFile

ENDING = ".safetensors"
_MAX_HEADER_BYTES = 100_000_000
_DTYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype(bool),
    "U8": np.dtype(np.uint8),
    "I8": np.dtype(np.int8),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
    "C64": np.dtype("<c8"),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
    "F8_E5M2": np.dtype(ml_dtypes.float8_e5m2),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
# Types that safetensors has no name for, as pairs or bytes; `dtypes` in the metadata says what they are.
_CARRIERS = {np.dtype(np.complex128): "F64", np.dtype(ml_dtypes.float8_e4m3b11fnuz): "U8"}
_CHECKSUM = '"crc32":"%s"'
_UNKNOWN_SUM = "00000000"


def write_tensors(
    path: Path,
    tensors: Mapping[str, np.ndarray],
    metadata: Mapping[str, str] | None = None,
    on_bytes: Callable[[int], None] | None = None,
) -> None:
    """Write tensors to a file, which is replaced whole or not at all.

    Args:
        path: the file.
        tensors: by name; in any order in memory.
        metadata: texts to keep with them.
        on_bytes: told how many bytes have been written, again and again.
    """
    header, buffers = _prepared(tensors, metadata or {})
    with replacing(path) as temporary, temporary.open("wb", buffering=0) as file:
        _write_all(file, memoryview(len(header).to_bytes(8, "little") + header))
        for buffer in buffers:
            for start in range(0, len(buffer), BLOCK_BYTES):
                block = buffer[start : start + BLOCK_BYTES]
                _write_all(file, block)
                if on_bytes is not None:
                    on_bytes(len(block))


def _write_all(file: Any, data: memoryview) -> None:
    while data:
        data = data[file.write(data) :]


def _prepared(
    tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]
) -> tuple[bytes, list[memoryview]]:
    """The header and the bytes of the tensors in their order."""
    entries: dict[str, Any] = {}
    dtypes: dict[str, str] = {}
    sums: list[str] = []
    buffers: list[memoryview] = []
    at = 0
    for name, value in tensors.items():
        carried = value.dtype.newbyteorder("=") in _CARRIERS
        stored = _carried(value) if carried else value
        if carried:
            dtypes[name] = value.dtype.name
        code = _NAMES.get(stored.dtype.newbyteorder("<"))
        if code is None:
            raise TypeError(
                f"Writing tensors expected numbers or booleans; got {name!r} of dtype {value.dtype} (shape "
                f"{value.shape}). Convert it first."
            )
        laid_out = np.ascontiguousarray(stored, _DTYPES[code])
        buffer = laid_out.reshape(-1).view(np.uint8).data
        end = at + len(buffer)
        entries[name] = {"dtype": code, "shape": list(stored.shape), "data_offsets": [at, end]}
        sums.append(f"{zlib.crc32(buffer):08x}")
        buffers.append(buffer)
        at = end
    texts = {**metadata, "sums": " ".join(sums), "crc32": _UNKNOWN_SUM}
    if dtypes:
        texts["dtypes"] = json.dumps(dtypes)
    text = json.dumps({"__metadata__": texts, **entries}, separators=(",", ":"))
    header = text.encode() + b" " * (-len(text.encode()) % 8)
    known = f"{zlib.crc32(header):08x}"
    return header.replace(*_sum_spelled(_UNKNOWN_SUM, known), 1), buffers


def _sum_spelled(old: str, new: str) -> tuple[bytes, bytes]:
    return (_CHECKSUM % old).encode(), (_CHECKSUM % new).encode()


def _carried(value: np.ndarray) -> np.ndarray:
    carrier = _DTYPES[_CARRIERS[value.dtype]]
    return np.ascontiguousarray(value)[..., None].view(carrier)


class BrokenFile(ValueError):
    """A file is not what it should be: truncated, damaged, or made to do harm."""


class TensorFile:
    """A file of tensors, open for reading; it stays readable if it is deleted or replaced meanwhile.

    Args:
        path: the file.

    Raises:
        BrokenFile: it is damaged or not such a file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = OpenFile(path)
        try:
            self._read_header(self._file.size)
        except BrokenFile:
            self.close()
            raise
        except EOFError as error:
            self.close()
            raise self._broken(str(error)) from error

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> TensorFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> TensorFile:
        return self

    def _read_header(self, size: int) -> None:
        length = int.from_bytes(self._file.bytes(0, 8), "little")
        if length > min(size - 8, _MAX_HEADER_BYTES):
            raise self._broken("its header is longer than the file")
        raw = self._file.bytes(8, length)
        try:
            header = json.loads(raw.decode(), object_pairs_hook=_distinct)
        except (ValueError, RecursionError) as error:
            raise self._broken(f"its header is no JSON: {error}") from error
        if not isinstance(header, dict):
            raise self._broken("its header is no dict")
        metadata = header.pop("__metadata__", {})
        if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
            raise self._broken("its metadata is no dict of texts")
        self.metadata: dict[str, str] = metadata
        self._check_header(raw)
        self._start = 8 + length
        self._entries = self._checked_entries(header, size - self._start)
        self._read_marks()

    def _check_header(self, raw: bytes) -> None:
        told = self.metadata.get("crc32")
        if told is None:
            return
        blank = raw.replace(*_sum_spelled(told, _UNKNOWN_SUM), 1)
        if f"{zlib.crc32(blank):08x}" != told:
            raise self._broken("its header has changed since it was written")

    def _checked_entries(self, header: dict[str, Any], room: int) -> dict[str, Any]:
        entries: dict[str, tuple[np.dtype[Any], tuple[int, ...], int, int]] = {}
        for name, entry in header.items():
            try:
                dtype, shape = _DTYPES[entry["dtype"]], entry["shape"]
                begin, end = entry["data_offsets"]
                numbers = [begin, end, *shape]
                is_sound = all(type(n) is int and n >= 0 for n in numbers)
                is_sound = is_sound and begin <= end <= room
                is_sound = is_sound and math.prod(shape) * dtype.itemsize == end - begin and len(shape) <= 32
            except (KeyError, TypeError, ValueError) as error:
                raise self._broken(f"it has no sound entry for {name[:100]!r}") from error
            if not is_sound:
                raise self._broken(f"it has no sound entry for {name[:100]!r}")
            entries[name] = (dtype, tuple(shape), begin, end)
        at = 0
        for _, _, begin, end in sorted(entries.values(), key=lambda e: e[2:]):
            if begin != at:
                raise self._broken("its tensors overlap or leave gaps")
            at = end
        if at != room:
            raise self._broken(f"it should have {at} bytes of tensors and has {room}")
        return entries

    def _read_marks(self) -> None:
        """What the metadata says of each tensor: checksums, and types that safetensors does not name."""
        sums = self.metadata.get("sums")
        self._sums = dict(zip(self._entries, sums.split(), strict=False)) if sums else {}
        if sums is not None and len(sums.split()) != len(self._entries):
            raise self._broken("its checksums are not those of its tensors")
        try:
            dtypes = json.loads(self.metadata.get("dtypes", "{}"))
            self._dtypes = {name: np.dtype(dtype) for name, dtype in dtypes.items()}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self._broken(f"it names unknown dtypes: {error}") from error
        if not all(self._carries(name, dtype) for name, dtype in self._dtypes.items()):
            raise self._broken("it names unsound dtypes")

    def _carries(self, name: str, dtype: np.dtype[Any]) -> bool:
        """Whether a tensor can be one of a dtype that safetensors does not name."""
        if name not in self._entries or dtype not in _CARRIERS:
            return False
        carrier, shape, _, _ = self._entries[name]
        parts = dtype.itemsize // carrier.itemsize
        return carrier == _DTYPES[_CARRIERS[dtype]] and shape[-1:] == (parts,)

    @property
    def names(self) -> list[str]:
        """The names of the tensors, in the order in which they were written."""
        return list(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor."""
        shape = self._entries[name][1]
        return shape[:-1] if name in self._dtypes else shape

    def dtype(self, name: str) -> np.dtype[Any]:
        """The dtype of a tensor."""
        return self._dtypes[name] if name in self._dtypes else self._entries[name][0]

    def read(self, name: str) -> np.ndarray:
        """A tensor, checked against its checksum."""
        dtype, shape, begin, end = self._entries[name]
        array = np.empty(end - begin, np.uint8)
        try:
            self._file.fill(array.data, self._start + begin)
        except EOFError as error:
            raise self._broken(str(error)) from error
        told = self._sums.get(name)
        if told is not None and f"{zlib.crc32(array.data):08x}" != told:
            raise self._broken(f"tensor {name!r} has changed since it was written")
        if dtype == np.bool_ and array.size and array.max() > 1:
            raise self._broken(f"tensor {name!r} holds neither true nor false")
        found = array.view(dtype).reshape(shape)
        return found.view(self._dtypes[name])[..., 0] if name in self._dtypes else found

    def _broken(self, why: str) -> BrokenFile:
        return BrokenFile(
            f"Loading expected a whole file of tensors; got {str(self.path)!r}, which cannot be read: {why}. It may "
            "be truncated or damaged: use another copy."
        )


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name appears twice")
    return found
