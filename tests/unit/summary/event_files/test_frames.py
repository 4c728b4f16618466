"""Framing, and what is found again after damage: every good record before it and from the next one on."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeflow.summary.event_files import frames as frames_module
from tapeflow.summary.event_files.frames import Budget, Frames, find_record, scan
from tapeflow.summary.event_files.records import header, record


def texts(buffer: bytes, frames: Frames) -> list[bytes]:
    return [buffer[s : s + n] for s, n in zip(frames.starts, frames.lengths, strict=True)]


def some_records(generator: random.Random, count: int) -> list[bytes]:
    return [generator.randbytes(generator.choice([1, 5, 40, 41, 60, 300])) for _ in range(count)]


def test_good_records() -> None:
    datas = some_records(random.Random(0), 10_000)
    buffer = b"".join(map(record, datas))
    frames = scan(buffer)
    assert texts(buffer, frames) == datas
    assert (frames.end, frames.lost) == (len(buffer), [])


def test_an_empty_record_and_an_empty_buffer() -> None:
    assert scan(b"").end == 0
    buffer = record(b"") + record(b"x")
    assert texts(buffer, scan(buffer)) == [b"", b"x"]


@pytest.mark.parametrize("cut", range(1, 27))
def test_an_incomplete_record_at_the_end_is_waited_for(cut: int) -> None:
    first, second = record(b"first"), record(b"second data")
    buffer = (first + second)[:-cut]
    frames = scan(buffer)
    assert texts(buffer, frames) == [b"first"]
    assert (frames.end, frames.lost) == (len(first), [])
    # If nothing will follow, it is lost.
    final = scan(buffer, is_whole=True)
    assert final.lost == ([(len(first), len(buffer))] if len(buffer) > len(first) else [])


def test_a_flipped_bit_costs_one_record() -> None:
    datas = some_records(random.Random(1), 20)
    whole = b"".join(map(record, datas))
    ends = [0]
    for d in datas:
        ends.append(ends[-1] + len(record(d)))
    for k in (0, 3, 19):
        for place in range(ends[k], ends[k + 1]):
            buffer = bytearray(whole)
            buffer[place] ^= 0x10
            frames = scan(bytes(buffer), is_whole=True)
            assert texts(bytes(buffer), frames) == datas[:k] + datas[k + 1 :]
            assert frames.lost == [(ends[k], ends[k + 1])]


@pytest.mark.parametrize("hole", [1, 12, 4096, 1 << 20])
def test_blocks_of_zeros_are_passed_over(hole: int) -> None:
    buffer = record(b"before") + bytes(hole) + record(b"after")
    frames = scan(buffer)
    assert texts(buffer, frames) == [b"before", b"after"]
    assert sum(e - b for b, e in frames.lost) == hole


def test_missing_and_added_bytes() -> None:
    one, two, three = record(b"one" * 20), record(b"two" * 20), record(b"three" * 20)
    for damaged in (two[:30], two[:20] + two[40:], two[:30] + b"more" + two[30:], two[5:]):
        buffer = one + damaged + three
        frames = scan(buffer)
        assert texts(buffer, frames) == [b"one" * 20, b"three" * 20]
        assert frames.lost == [(len(one), len(one) + len(damaged))]


def test_a_bare_header_does_not_swallow_the_next_record() -> None:
    # Its length is eight, and eight bytes with their checksum is what the next record begins with.
    bare, after = record(b"12345678")[:12], record(b"after")
    buffer = bare + after
    assert texts(buffer, scan(buffer)) == [b"after"]
    assert scan(buffer).lost == [(0, 12)]
    assert texts(bare + buffer, scan(bare + buffer)) == [b"after"]


def test_records_that_share_a_byte_are_both_good() -> None:
    # The last byte of the first is missing, and the second happens to begin with one like it.
    first = next(r for r in (record(b"%d" % i) for i in range(10_000)) if r[-1] == len(b"after"))
    buffer = first[:-1] + record(b"after")
    assert texts(buffer, scan(buffer)) == [first[12:-4], b"after"]


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_length_beyond_the_end_hides_nothing(is_whole: bool) -> None:
    longer = record(b"x" * 100_000)[:60]
    assert scan(longer).end == 0  # while the file grows it may yet come
    buffer = longer + record(b"after")
    frames = scan(buffer, is_whole)
    assert texts(buffer, frames) == [b"after"]
    assert frames.lost == [(0, 60)]


def test_damage_at_the_end_of_a_growing_file_is_looked_at_again() -> None:
    first = record(b"first")
    assert scan(first + bytes(50)).end == len(first)
    buffer = first + bytes(50) + record(b"second")
    assert texts(buffer, scan(buffer)) == [b"first", b"second"]


def test_damage_longer_than_a_piece_goes_on_in_the_next() -> None:
    noise = random.Random(3).randbytes(5000)
    whole = record(b"first") + noise + record(b"second")
    found, lost, at, is_lost = [], 0, 0, False
    while at < len(whole):
        piece = whole[at : at + 1000]
        frames = scan(piece, goes_on=at + 1000 < len(whole), is_lost=is_lost)
        found += texts(piece, frames)
        lost += sum(e - b for b, e in frames.lost)
        is_lost = frames.is_lost
        if not frames.end:
            break
        at += frames.end
    assert found == [b"first", b"second"]
    assert lost == 5000


def test_a_search_through_much_damage_is_quick() -> None:
    noise = random.Random(4).randbytes(4 << 20)
    begin = time.process_time()
    data = noise + record(b"x")
    assert find_record(data, 0, True, Budget(data)) == len(noise)
    assert time.process_time() - begin < 5


Damage = tuple[str, int, int]
damages = st.lists(
    st.tuples(
        st.sampled_from(["flip", "zero", "cut", "insert", "truncate"]),
        st.integers(0, 10**6),
        st.integers(1, 80),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), damages)
def test_fuzz(seed: int, damages: list[Damage]) -> None:
    check_fuzzed(random.Random(seed), damages, count=30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_fuzz_of_a_million_mutated_records(seed: int) -> None:
    generator = random.Random(seed)
    kinds = ["flip", "zero", "cut", "insert"]
    mutated = 0
    while mutated < 250_000:
        chosen = [
            (generator.choice(kinds), generator.randrange(10**6), generator.randint(1, 80)) for _ in range(50)
        ]
        mutated += check_fuzzed(generator, chosen, count=150)


def check_fuzzed(generator: random.Random, damages: list[Damage], count: int) -> int:
    """Damage a file; every record that was not touched must be found, in order, and nothing else.

    Returns how many were touched.
    """
    datas = [b"%d:" % i + d for i, d in enumerate(some_records(generator, count))]
    parts = [bytearray(record(d)) for d in datas]
    touched: set[int] = set()
    for kind, place, size in damages:
        k = place % len(parts)
        part = parts[k]
        at = place % max(len(part), 1)
        before = bytes(part)
        if kind == "flip" and part:
            part[at] ^= 1 << size % 8
        elif kind == "zero":
            part[at : at + size] = bytes(len(part[at : at + size]))
        elif kind == "cut":
            del part[at : at + size]
        elif kind == "insert":
            part[at:at] = generator.randbytes(size) if size % 2 else bytes(size)
        elif kind == "truncate" and k > len(parts) // 2:
            del parts[k + 1 :]
            del part[at:]
            touched.update(range(k, len(datas)))
        if bytes(part) != before:
            # Bytes put in front of a whole record leave it whole; it may be found or not.
            touched.add(k)
    buffer = b"".join(parts)
    frames = scan(buffer, is_whole=True)
    found = texts(buffer, frames)
    expected = [d for i, d in enumerate(datas) if i not in touched]
    untouched = set(expected)
    assert [d for d in found if d in untouched] == expected
    assert set(found) <= set(datas)
    assert frames.end == len(buffer)
    seen = bytearray(len(buffer))
    for begin, end in [
        *frames.lost,
        *((s - 12, s + n + 4) for s, n in zip(frames.starts, frames.lengths, strict=True)),
    ]:
        seen[begin:end] = b"\1" * (end - begin)
    assert all(seen)
    return len(touched)


def _pointing_at_the_end(count: int) -> bytes:
    """Good records, and before each a header that says that all the rest is one."""
    good = record(b"some data")
    unit = 12 + len(good)
    return b"".join(header(unit * i - 16) + good for i in range(count, 0, -1))


def _every_other_damaged(count: int) -> bytes:
    good = record(b"some data that is good")
    return (good + good[:-1] + b"?") * count


@pytest.mark.parametrize("make", [_pointing_at_the_end, _every_other_damaged])
@pytest.mark.parametrize("is_checked", [True, False])
def test_recovery_costs_no_more_than_so_many_times_the_length(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[int], bytes], is_checked: bool
) -> None:
    done = dict.fromkeys(("crc32c", "masked_crc", "_good_headers"), 0)
    for name in done:
        real = getattr(frames_module, name)

        def counted(data: Any, name: str = name, real: Any = real) -> Any:
            done[name] += len(data)
            return real(data)

        monkeypatch.setattr(frames_module, name, counted)
    data = b"?" + make(2000)
    frames = scan(data, goes_on=True, is_checked=is_checked)
    assert done["crc32c"] + done["masked_crc"] < 20 * len(data)
    assert done["_good_headers"] < 50 * len(data)
    if make is _every_other_damaged and is_checked:
        assert len(frames.starts) == 2000
