"""A look at an HDF5 file's heaps before the library reads them.

Texts of open length live in global heaps, each a chain of objects with their sizes. A chain that does not
advance (an object of size 0) makes the HDF5 library read for ever, where nothing in Python can stop it. So all
heaps of a file are walked here before the first such text is read.
"""

from __future__ import annotations

from typing import IO

_MARK = b"GCOL\x01"  # with the only version there is
_HEADER = 16
_SMALLEST = 4096
_BLOCK_BYTES = 1 << 24


def check_heaps(file: IO[bytes]) -> int:
    """Raise if the HDF5 library might never come back from a heap of this file.

    Returns:
        How many bytes the longest object in the heaps has.

    Raises:
        ValueError: a heap is broken, or sizes are not written as Keras writes them.
    """
    file.seek(0)
    start = file.read(16)
    size_at = 13 if start[8:9] in (b"\x00", b"\x01") else 9
    if start[size_at : size_at + 2] != b"\x08\x08":
        raise _broken("its sizes are not of 64 bits")
    file.seek(0, 2)
    size = file.tell()
    return max((_walk(file, at, size) for at in _marks(file)), default=0)


def _marks(file: IO[bytes]) -> list[int]:
    """Where heaps may begin."""
    found: list[int] = []
    at, kept = 0, b""
    file.seek(0)
    while block := file.read(_BLOCK_BYTES):
        text = kept + block
        place = text.find(_MARK)
        while place >= 0:
            found.append(at - len(kept) + place)
            place = text.find(_MARK, place + 1)
        at += len(block)
        kept = text[-len(_MARK) + 1 :]
    return found


def _walk(file: IO[bytes], at: int, size: int) -> int:
    """The length of the longest object in a heap."""
    file.seek(at + 8)
    length = int.from_bytes(file.read(8), "little")
    if length < _SMALLEST or at + length > size:
        return 0  # no heap: the library will not read it either
    file.seek(at)
    heap = file.read(length)
    place, longest = _HEADER, 0
    while place + _HEADER <= length:
        index = int.from_bytes(heap[place : place + 2], "little")
        held = int.from_bytes(heap[place + 8 : place + 16], "little")
        # Free space, number 0, counts its own header; objects do not, and are padded to eight bytes.
        step = held if index == 0 else _HEADER + (held + 7) // 8 * 8
        if not 0 < step <= length - place:
            raise _broken("a heap of it is broken")
        if index:
            longest = max(longest, held)
        place += step
    return longest


def _broken(why: str) -> ValueError:
    return ValueError(
        f"Loading expected a whole HDF5 file; got one that cannot be read: {why}. It may be truncated or damaged: use "
        "another copy."
    )
