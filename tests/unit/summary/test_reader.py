from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tapeflow.summary import encoding, reader
from tapeflow.summary.reader import EventFileReader
from tapeflow.summary.records import record
from tapeflow.summary.tensors import tensor_bytes


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
