"""Where the records of a file are, and what to do about bytes that are no record.

Lengths and data have checksums. Where one is wrong, the next place is sought where both are right: bytes may
be missing or added, so the length of a damaged record is not believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tapeflow.summary.event_files.records import FOOTER_SIZE, HEADER_SIZE, crc32c, header, masked_crc

MOST_BYTES = 1 << 28
"""A record that says it is longer than this is damage: it would have to be held in memory, and none is."""
_BLOCK = 16384  # records checked at once
_AFTER_DAMAGE = 4  # the same, just behind damage, where more of it is likely; then more and more
_LOOK = 256  # records looked at to see whether their lengths repeat
_WINDOW = 1 << 18  # bytes searched at once, after a smaller window did not do
_FIRST_WINDOW = 1 << 10
_MOST_CHECKED = 16  # times the length of a buffer
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


class Budget:
    """How many bytes of a buffer may still be checksummed.

    Any number of headers may say that their records reach to its end. Each would cost as much as the buffer is long;
    when they have cost too much, the rest of it is given up.
    """

    def __init__(self, buffer: bytes) -> None:
        self.left = _MOST_CHECKED * len(buffer)

    def allows(self, nbytes: int) -> bool:
        """Whether so many more may be, which are then taken off."""
        self.left -= nbytes
        return self.left >= 0


def scan(
    buffer: bytes,
    is_whole: bool = False,
    goes_on: bool = False,
    is_lost: bool = False,
    is_checked: bool = True,
) -> Frames:
    """The records of a buffer.

    Args:
        buffer: bytes of a file, from the beginning of a record on.
        is_whole: whether nothing will ever follow: then an incomplete record at the end is lost, too.
        goes_on: whether the file has more bytes than the buffer: then damage up to its end is passed over.
        is_lost: whether the buffer begins amid damage instead.
        is_checked: whether the checksums of data are looked at, and not of lengths alone.
    """
    frames = Frames()
    blocks = list(_blocks(buffer, frames, is_whole, goes_on, is_lost, is_checked))
    if blocks:
        frames.starts, frames.lengths = map(np.concatenate, zip(*blocks, strict=True))
    return frames


def _blocks(
    buffer: bytes, frames: Frames, is_whole: bool, goes_on: bool, is_lost: bool, is_checked: bool
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Starts and lengths of records, some at a time; everything else is noted in `frames`."""
    is_damaged: bool | None = is_lost or None
    most, budget = _BLOCK, Budget(buffer)
    while True:
        if is_damaged is None:
            starts, lengths, is_damaged = _block(buffer, frames.end, is_checked, most, budget)
            if starts.size:
                frames.end = int(starts[-1] + lengths[-1]) + FOOTER_SIZE
            yield starts, lengths
            most = min(most * 4, _BLOCK)
            continue
        begin = frames.end
        if not is_damaged and (begin == len(buffer) or goes_on):
            return
        # A record that is not all there yet may still come, unless a whole one follows it.
        found = None if is_lost else _overlapping(buffer, begin, budget)
        if found is None:
            found = find_record(buffer, begin + (not is_lost), is_whole or not is_damaged, budget)
        if found is None and not is_whole and not goes_on:
            frames.is_lost = is_lost
            return  # the end may still be written to: it is looked at again
        if found is None:
            end = len(buffer) if is_whole else max(len(buffer) - HEADER_SIZE + 1, begin)
            frames.is_lost = not is_whole
        else:
            end = found
        if end > begin:
            frames.lost.append((begin, end))
        frames.end = end
        if found is None:
            return
        is_damaged, is_lost, most = None, False, _AFTER_DAMAGE


def _block(
    buffer: bytes, begin: int, is_checked: bool, most: int, budget: Budget
) -> tuple[np.ndarray, np.ndarray, bool | None]:
    """Starts and lengths of the next records, about `most` of them, and what follows.

    None: there may be more; else whether what follows is damaged (or is not there).
    """
    ends, is_damaged = _record_ends(buffer, begin, most)
    starts, lengths = ends[:-1] + HEADER_SIZE, np.diff(ends) - _AROUND
    good = _good_ones(buffer, starts, lengths, is_checked, budget)
    if good < len(starts):
        is_damaged = True
    return starts[:good], lengths[:good], is_damaged


def _record_ends(buffer: bytes, begin: int, most: int) -> tuple[np.ndarray, bool | None]:
    """Where records end, from one to the next, beginning with `begin`; and what follows, as `_block` says.

    What is logged in a loop has records of the same lengths over and over. Once that is seen, the headers of many
    turns are compared at once with what they should be.
    """
    places, is_damaged = _walk(buffer, begin, min(most, _LOOK))
    ends = np.array(places)
    if is_damaged is not None or most <= _LOOK:
        return ends, is_damaged
    turn = _turn(np.diff(ends[-_LOOK - 1 :]))
    if turn is None:
        places, is_damaged = _walk(buffer, places[-1], most)
        return np.concatenate([ends, np.array(places[1:], np.int64)]), is_damaged
    turns = min(most // len(turn), (len(buffer) - places[-1]) // int(turn.sum()) + 1)
    guessed = places[-1] + np.concatenate([[0], np.cumsum(np.tile(turn, turns))])
    guessed = guessed[guessed <= len(buffer)]
    heads = sliding_window_view(np.frombuffer(buffer, np.uint8), HEADER_SIZE)[guessed[:-1]]
    known = b"".join([header(n - _AROUND) for n in turn.tolist()])
    expected = np.frombuffer(known, np.uint8).reshape(-1, HEADER_SIZE)
    is_same = (heads == np.tile(expected, (turns, 1))[: len(heads)]).all(axis=1)
    right = len(is_same) if is_same.all() else int(np.argmin(is_same))
    return np.concatenate([ends, guessed[1 : right + 1]]), None


def _turn(lengths: np.ndarray) -> np.ndarray | None:
    """The lengths that come over and over at the end of these, or None."""
    for size in range(1, len(lengths) // 2 + 1):
        if lengths[-1] == lengths[-1 - size] and (lengths[-size:] == lengths[-2 * size : -size]).all():
            return lengths[-size:]
    return None


def _walk(buffer: bytes, at: int, most: int) -> tuple[list[int], bool | None]:
    """Follow records one by one, as `_record_ends` does."""
    size, known = len(buffer), _known.get
    places = [at]
    add = places.append
    for _ in range(most):
        head = buffer[at : at + HEADER_SIZE]
        length = known(head)
        if length is None:
            if len(head) < HEADER_SIZE:
                return places, False
            length = _checked_length(head)
            if length is None:
                return places, True
        at += length
        if at > size:
            return places, False
        add(at)
    return places, None


_known: dict[bytes, int] = {header(n): n + _AROUND for n in range(1, 256)}
"""Headers whose checksum is right, with the length of the whole record."""


def record_length(data: bytes) -> int:
    """How long the record at the beginning of the data says it is, all in all."""
    return int.from_bytes(data[:8], "little") + _AROUND


def _checked_length(head: bytes) -> int | None:
    """The length of the record that begins with `head`, or None if its checksum is wrong or it is absurd."""
    if int.from_bytes(head[8:], "little") != masked_crc(head[:8]):
        return None
    length = record_length(head)
    if length > MOST_BYTES:
        return None
    if len(_known) < 65536:
        _known[head] = length
    return length


def _good_ones(
    buffer: bytes, starts: np.ndarray, lengths: np.ndarray, is_checked: bool, budget: Budget
) -> int:
    """How many records from the first on have data with the right checksum."""
    if not starts.size or (is_checked and not budget.allows(int(lengths.sum()))):
        return 0
    ends = starts + lengths
    if not is_checked:
        short = np.flatnonzero(lengths == 8)
        return next((i for i in short.tolist() if _is_length(buffer[starts[i] : ends[i]])), len(starts))
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


def _overlapping(buffer: bytes, end: int, budget: Budget) -> int | None:
    """Where a good record begins in the last bytes of the one that ends here, or None.

    If bytes are missing between the two, and the first of the second happen to be those that the first lacks,
    both are whole.
    """
    return next((p for p in range(max(end - FOOTER_SIZE + 1, 0), end) if _is_record(buffer, p, budget)), None)


def _is_record(buffer: bytes, at: int, budget: Budget) -> bool:
    """Whether a whole good record begins here."""
    head = buffer[at : at + HEADER_SIZE]
    if len(head) < HEADER_SIZE or int.from_bytes(head[8:], "little") != masked_crc(head[:8]):
        return False
    end = at + record_length(head) - FOOTER_SIZE
    if end + FOOTER_SIZE > len(buffer) or not budget.allows(end - at):
        return False
    data = buffer[at + HEADER_SIZE : end]
    stored = int.from_bytes(buffer[end : end + FOOTER_SIZE], "little")
    return masked_crc(data) == stored and not _is_length(data)


def _masked(crc: np.ndarray) -> np.ndarray:
    wide = crc.astype(np.uint64)
    return (((wide >> 15) | (wide << 17)) + 0xA282EAD8 & 0xFFFFFFFF).astype(np.uint32)


def find_record(buffer: bytes, begin: int, is_whole: bool, budget: Budget) -> int | None:
    """The first place from `begin` on where a good record begins, or None; also if the budget is used up.

    Unless the buffer `is_whole`, a good length will do at the end, where the data has not come yet.
    """
    size = len(buffer)
    array = np.frombuffer(buffer, np.uint8)
    window, width = begin, _FIRST_WINDOW
    while window <= size - HEADER_SIZE and budget.left >= 0:
        for place in _good_headers(array[window : window + width + HEADER_SIZE - 1]):
            at = window + int(place)
            length = record_length(buffer[at : at + 8])
            is_cut_off = size < at + length <= at + MOST_BYTES
            if (is_cut_off and not is_whole) or _is_record(buffer, at, budget):
                return at
        window, width = window + width, min(width * 4, _WINDOW)
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
