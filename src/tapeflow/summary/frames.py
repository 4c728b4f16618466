"""Where the records of a file are, and what to do about bytes that are no record.

Lengths and data have checksums. Where one is wrong, the next place is sought where both are right: bytes may
be missing or added, so the length of a damaged record is not believed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tapeflow.summary.records import FOOTER_SIZE, HEADER_SIZE, crc32c, header, masked_crc

_BLOCK = 16384  # records checked at once
_WINDOW = 1 << 18  # bytes searched at once
_AROUND = HEADER_SIZE + FOOTER_SIZE


@dataclass
class Frames:
    """The good records of a buffer.

    Attributes:
        starts: where the data of each begins.
        lengths: how long it is.
        end: where the next record begins, or will begin.
        lost: stretches of bytes that are no records, as (begin, end).
        is_lost: whether the buffer ends in such a stretch, which goes on behind it.
    """

    starts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    lengths: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    end: int = 0
    lost: list[tuple[int, int]] = field(default_factory=list)
    is_lost: bool = False


def scan(buffer: bytes, is_whole: bool = False, goes_on: bool = False, is_lost: bool = False) -> Frames:
    """The records of a buffer.

    Args:
        buffer: bytes of a file, from the beginning of a record on.
        is_whole: whether nothing will ever follow: then an incomplete record at the end is lost, too.
        goes_on: whether the file has more bytes than the buffer: then damage up to its end is passed over.
        is_lost: whether the buffer begins amid damage instead.
    """
    frames = Frames()
    is_damaged: bool | None = is_lost or None
    while True:
        if is_damaged is None:
            is_damaged = _block(buffer, frames)
            continue
        begin = frames.end
        if not is_damaged and (begin == len(buffer) or goes_on):
            return frames
        # A record that is not all there yet may still come, unless a whole one follows it.
        found = None if is_lost else _overlapping(buffer, begin)
        if found is None:
            found = find_record(buffer, begin + (not is_lost), is_whole or not is_damaged)
        if found is None and not is_whole and not goes_on:
            frames.is_lost = is_lost
            return frames  # the end may still be written to: it is looked at again
        if found is None:
            end = len(buffer) if is_whole else max(len(buffer) - HEADER_SIZE + 1, begin)
            frames.is_lost = not is_whole
        else:
            end = found
        if end > begin:
            frames.lost.append((begin, end))
        frames.end = end
        if found is None:
            return frames
        is_damaged, is_lost = None, False


def _block(buffer: bytes, frames: Frames) -> bool | None:
    """Add the next records. None: there may be more; else whether what follows is damaged (or is not there)."""
    at, size, known = frames.end, len(buffer), _known.get
    places = [at]
    add = places.append
    is_damaged: bool | None = None
    for _ in range(_BLOCK):
        head = buffer[at : at + HEADER_SIZE]
        length = known(head)
        if length is None:
            if len(head) < HEADER_SIZE:
                is_damaged = False
                break
            length = _record_length(head)
            if length is None:
                is_damaged = True
                break
        at += length
        if at > size:
            is_damaged = False
            break
        add(at)
    ends = np.array(places)
    starts, lengths = ends[:-1] + HEADER_SIZE, np.diff(ends) - _AROUND
    good = _good_ones(buffer, starts, lengths)
    if good < len(starts):
        is_damaged = True
    frames.starts = np.concatenate([frames.starts, starts[:good]])
    frames.lengths = np.concatenate([frames.lengths, lengths[:good]])
    frames.end = places[good]
    return is_damaged


_known: dict[bytes, int] = {header(n): n + _AROUND for n in range(1, 256)}
"""Headers whose checksum is right, with the length of the whole record."""


def _record_length(head: bytes) -> int | None:
    """The length of the record that begins with `head`, or None if its checksum is wrong."""
    if int.from_bytes(head[8:], "little") != masked_crc(head[:8]):
        return None
    length = int.from_bytes(head[:8], "little") + _AROUND
    if len(_known) < 65536:
        _known[head] = length
    return length


def _good_ones(buffer: bytes, starts: np.ndarray, lengths: np.ndarray) -> int:
    """How many records from the first on have data with the right checksum."""
    if not starts.size:
        return 0
    ends = starts + lengths
    parts = [buffer[s:e] for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]
    found = np.fromiter(map(crc32c, parts), np.uint32, len(parts))
    stored = sliding_window_view(np.frombuffer(buffer, np.uint8), 4)[ends].view("<u4")[:, 0]
    wrong = _masked(found) != stored
    for i in np.flatnonzero(lengths == 8):
        wrong[i] |= _is_length(parts[i])
    return int(np.argmax(wrong)) if wrong.any() else len(starts)


def _is_length(data: bytes) -> bool:
    """Whether data is no event but a length: a header whose data is gone, followed by another header.

    The two look like a record of eight bytes. No event ends in four zeros.
    """
    return len(data) == 8 and data.endswith(b"\0\0\0\0")


def _overlapping(buffer: bytes, end: int) -> int | None:
    """Where a good record begins in the last bytes of the one that ends here, or None.

    If bytes are missing between the two, and the first of the second happen to be those that the first lacks,
    both are whole.
    """
    return next((p for p in range(max(end - FOOTER_SIZE + 1, 0), end) if _is_record(buffer, p)), None)


def _is_record(buffer: bytes, at: int) -> bool:
    """Whether a whole good record begins here."""
    head = buffer[at : at + HEADER_SIZE]
    if len(head) < HEADER_SIZE or int.from_bytes(head[8:], "little") != masked_crc(head[:8]):
        return False
    end = at + HEADER_SIZE + int.from_bytes(head[:8], "little")
    if end + FOOTER_SIZE > len(buffer):
        return False
    data = buffer[at + HEADER_SIZE : end]
    stored = int.from_bytes(buffer[end : end + FOOTER_SIZE], "little")
    return masked_crc(data) == stored and not _is_length(data)


def _masked(crc: np.ndarray) -> np.ndarray:
    wide = crc.astype(np.uint64)
    return (((wide >> 15) | (wide << 17)) + 0xA282EAD8 & 0xFFFFFFFF).astype(np.uint32)


def find_record(buffer: bytes, begin: int, is_whole: bool) -> int | None:
    """The first place from `begin` on where a good record begins, or None.

    Unless the buffer `is_whole`, a good length will do at the end, where the data has not come yet.
    """
    size = len(buffer)
    array = np.frombuffer(buffer, np.uint8)
    for window in range(begin, size - HEADER_SIZE + 1, _WINDOW):
        piece = array[window : window + _WINDOW + HEADER_SIZE - 1]
        for place in _good_headers(piece):
            at = window + int(place)
            length = int.from_bytes(buffer[at : at + 8], "little")
            is_cut_off = at + _AROUND + length > size
            if (is_cut_off and not is_whole) or _is_record(buffer, at):
                return at
    return None


def _good_headers(piece: np.ndarray) -> np.ndarray:
    """The places where eight bytes are followed by their checksum; lengths of 4 GB and more are not looked for."""
    count = len(piece) - HEADER_SIZE + 1
    if count <= 0:
        return np.zeros(0, np.int64)
    zero = piece == 0
    high = zero[4 : 4 + count] & zero[5 : 5 + count] & zero[6 : 6 + count] & zero[7 : 7 + count]
    # The checksum of a length is never zero, so blocks of zeros are passed over quickly.
    empty = zero[8 : 8 + count] & zero[9 : 9 + count] & zero[10 : 10 + count] & zero[11 : 11 + count]
    places = np.flatnonzero(high & ~empty)
    bytes_ = piece[places[:, None] + np.arange(HEADER_SIZE)]
    crc = np.full(len(places), 0xFFFFFFFF, np.uint32)
    for i in range(8):
        crc = _TABLE[(crc ^ bytes_[:, i]) & 0xFF] ^ (crc >> 8)
    stored = np.ascontiguousarray(bytes_[:, 8:]).view("<u4")[:, 0]
    return places[_masked(crc ^ np.uint32(0xFFFFFFFF)) == stored]


def _table() -> np.ndarray:
    """CRC32C of every byte."""
    crc = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        crc = np.where(crc & 1, (crc >> 1) ^ np.uint32(0x82F63B78), crc >> 1)
    return crc


_TABLE = _table()
