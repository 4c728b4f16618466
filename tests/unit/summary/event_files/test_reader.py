from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tapeflow.summary.event_files import encoding, frames, reader, wire
from tapeflow.summary.event_files.reader import EventFileReader
from tapeflow.summary.event_files.records import record
from tapeflow.summary.event_files.tensors import tensor_bytes


def scalars(tag: str, steps: range) -> bytes:
    return b"".join(record(encoding.scalar_event(1.0, i, tag, float(i), b"")) for i in steps)


def steps(found: EventFileReader, is_final: bool = False) -> list[int]:
    return [s for b in found.batches(is_final) for c in b.columns for s in c.steps.tolist()]


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = scalars("x", range(1, 10))
    found = EventFileReader(str(path))
    assert steps(found) == []
    seen = []
    for size in range(0, len(data) + 1, 7):
        path.write_bytes(data[:size]) if not size else path.open("ab").write(data[max(size - 7, 0) : size])
        seen += steps(found)
    with path.open("ab") as file:
        file.write(data[size:])
    assert seen + steps(found) == list(range(1, 10))


@pytest.mark.parametrize("how", ["shrunk", "replaced", "gone"])
def test_another_file_in_its_place_is_read_from_the_start(tmp_path: Path, how: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(scalars("x", range(1, 10)))
    found = EventFileReader(str(path))
    assert len(steps(found)) == 9
    if how == "shrunk":
        os.truncate(path, 0)
        with path.open("ab") as file:
            file.write(scalars("x", range(20, 22)))
    else:
        other = tmp_path / "other"
        other.write_bytes(scalars("x", range(20, 40)))
        if how == "gone":
            path.unlink()
            assert [b.is_restart for b in found.batches()] == [True]
        os.replace(other, path)
    batches = list(found.batches())
    if how != "gone":
        assert batches.pop(0).is_restart
    assert batches[0].columns[0].steps[0] == 20


def test_pieces_of_any_size_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    image = record(encoding.tensor_event(1.0, 5, "big", tensor_bytes(np.zeros(3000)), b""))
    path.write_bytes(scalars("x", range(50)) + bytes(3000) + image + scalars("y", range(50)) + b"half")
    for size in (64, 1000, 1 << 20):
        monkeypatch.setattr(reader, "_PIECE", size)
        batches = list(EventFileReader(str(path)).batches(is_final=True))
        found: dict[str, list[int]] = {}
        for batch in batches:
            for column in batch.columns:
                found.setdefault(column.tag, []).extend(column.steps.tolist())
        assert found == {"x": list(range(50)), "y": list(range(50))}
        assert [o.event.step for b in batches for o in b.others] == [5]
        assert [o.row for b in batches for o in b.others] == [50]
        assert sum(d.nbytes for b in batches for d in b.damages) == 3004


def test_a_record_that_is_no_event_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(scalars("x", range(2)) + record(b"\xff\xff\xff") + scalars("x", range(2, 4)))
    batches = list(EventFileReader(str(path)).batches())
    (damage,) = [d for b in batches for d in b.damages]
    assert (damage.reason, damage.nbytes) == ("not an event", 3)
    assert sorted(s for b in batches for c in b.columns for s in c.steps.tolist()) == [0, 1, 2, 3]


def test_data_may_be_checked_later(tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = bytearray(scalars("x", range(1, 100)))
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    trusting = EventFileReader(str(path), is_checked=False)
    assert sum(b.count for b in trusting.batches()) == 99
    (begin, end), *others = [lost for part in trusting.lost_stretches(trusting.offset) for lost in part]
    assert not others
    assert begin < len(data) // 2 < end
    found = EventFileReader(str(path))
    assert len(steps(found)) == 98
    assert list(trusting.lost_stretches(0)) == []


def test_reading_goes_on_from_a_position_that_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(scalars("x", range(1, 10)))
    first = EventFileReader(str(path))
    steps(first)
    with path.open("ab") as file:
        file.write(scalars("x", range(10, 12)))
    again = EventFileReader(str(path), position=first.position)
    batches = list(again.batches())
    assert [(b.is_restart, b.columns[0].rows.tolist()) for b in batches] == [(False, [9, 10])]


def test_a_file_written_anew_in_place_is_another(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(scalars("x", range(1, 10)))
    found = EventFileReader(str(path))
    steps(found)
    with path.open("r+b") as file:  # the same file, and longer
        file.write(scalars("y", range(1, 20)))
    batches = list(found.batches())
    assert batches[0].is_restart
    assert batches[1].columns[0].tag == "y"


def test_a_long_record_is_waited_for_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_PIECE", 64)
    path = tmp_path / "f"
    event = encoding.tensor_event(1.0, 3, "t", tensor_bytes(b"x" * 10_000), b"")
    whole = record(event)
    path.write_bytes(whole[:5000])
    found = EventFileReader(str(path))
    assert list(found.batches()) == []
    with path.open("ab") as file:
        file.write(whole[5000:] + scalars("x", range(1, 3)))
    batches = list(found.batches())
    assert [o.event.step for b in batches for o in b.others] == [3]
    assert [s for b in batches for c in b.columns for s in c.steps.tolist()] == [1, 2]


def test_a_length_that_is_absurd_is_damage(tmp_path: Path) -> None:
    from tapeflow.summary.event_files.records import header

    path = tmp_path / "f"
    path.write_bytes(scalars("x", range(1, 3)) + header(1 << 40) + scalars("x", range(3, 5)))
    found = EventFileReader(str(path))
    batches = list(found.batches())
    assert [s for b in batches for c in b.columns for s in c.steps.tolist()] == [1, 2, 3, 4]
    assert [d.nbytes for b in batches for d in b.damages] == [12]


def test_pipes_are_not_read_and_links_only_if_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        list(EventFileReader(str(tmp_path / "pipe")).batches())
    (tmp_path / "f").write_bytes(scalars("x", range(1, 3)))
    (tmp_path / "link").symlink_to(tmp_path / "f")
    assert steps(EventFileReader(str(tmp_path / "link"))) == [1, 2]
    with pytest.raises(OSError, match="symbolic links"):
        list(EventFileReader(str(tmp_path / "link"), follows_links=False).batches())


@pytest.mark.parametrize("is_checked", [True, False], ids=["checked", "trusting"])
@pytest.mark.parametrize("count", [256, 257, 1500])
def test_lengths_that_come_over_and_over_change_nothing(
    count: int, is_checked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(count)
    tags = ("a", "longer", "longer still")
    whole = b"".join([scalars(tags[i % 3], range(i // 3, i // 3 + 1)) for i in range(count)])
    for _ in range(20):
        data = bytearray(whole)
        for place in rng.integers(0, len(data), rng.integers(0, 4)).tolist():
            damage = rng.integers(0, 3)
            if damage == 0:
                data[place] ^= 1
            elif damage == 1:
                del data[place : place + 30]
            else:
                data[place:place] = bytes(30)
        found = frames.scan(bytes(data), is_checked=is_checked)
        with monkeypatch.context() as patch:
            patch.setattr(frames, "_turn", lambda lengths: None)
            plain = frames.scan(bytes(data), is_checked=is_checked)
        assert found.starts.tolist() == plain.starts.tolist()
        assert (found.end, found.lost) == (plain.end, plain.lost)


@pytest.mark.parametrize("what", ["the file", "a folder above it"])
def test_links_are_followed_only_if_told(tmp_path: Path, what: str) -> None:
    real = tmp_path / "real" / "run"
    real.mkdir(parents=True)
    (real / "f").write_bytes(scalars("x", range(3)))
    if what == "the file":
        (tmp_path / "link").symlink_to(real / "f")
        path = str(tmp_path / "link")
    else:
        (tmp_path / "link").symlink_to(tmp_path / "real")
        path = str(tmp_path / "link" / "run" / "f")
    assert steps(EventFileReader(path)) == [0, 1, 2]
    with pytest.raises(OSError, match="symbolic links|Not a directory"):
        steps(EventFileReader(path, follows_links=False))
    assert steps(EventFileReader(str(real / "f"), follows_links=False)) == [0, 1, 2]


def test_folders_that_may_only_be_passed_through(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "f").write_bytes(scalars("x", range(3)))
    tmp_path.chmod(0o111)
    try:
        assert steps(EventFileReader(str(tmp_path / "run" / "f"), follows_links=False)) == [0, 1, 2]
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("what", ["values", "fields of the event"])
def test_events_of_very_many_values_are_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(reader, "MOST_FIELDS", 50)

    def event(count: int) -> bytes:
        empty = wire.block(1, b"") * count
        return record(wire.block(5, empty) if what == "values" else wire.block(5, b"") * count)

    path = tmp_path / "f"
    path.write_bytes(scalars("x", range(1, 3)) + event(49) + event(52) + scalars("x", range(3, 5)))
    (batch,) = EventFileReader(str(path)).batches()
    assert len(batch.others) == 1
    assert [damage.reason for damage in batch.damages] == ["an event of more than 50 values"]
    assert batch.columns[0].steps.tolist() == [1, 2, 3, 4]
