"""Records of steps: read whole, cut and damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tapeflow.summary.profile import read_record, records

ABOUT = {"kind": "profile", "version": 1, "host": "h", "device": "cpu"}
SPENT = {"input_ns": 5, "compile_ns": 0, "dispatch_ns": 1, "device_ns": 3, "callbacks_ns": 0, "host_ns": 1}
STEP = {"kind": "step", "name": "train", "step": 0, "count": 2, "at_ns": 10, "wall_ns": 10, **SPENT}
OTHERS = [
    {
        "kind": "compile",
        "at_ns": 4,
        "name": "f",
        "trace_ns": 1,
        "lower_ns": 2,
        "compile_ns": 3,
        "is_cached": True,
    },
    {"kind": "memory", "at_ns": 9, "rss_bytes": 100, "live_bytes": 10},
    {
        "kind": "pipeline",
        "reads": 3,
        "read_ns": 7,
        "steps": [{"method": "range"}, {"method": "map", "workers": 1}],
    },
    {"kind": "hook", "name": "on_epoch_end", "at_ns": 3, "wall_ns": 2},
    {"kind": "callback", "name": "Saver", "wall_ns": 4, "calls": 2},
    {"kind": "total", "wall_ns": 10, **SPENT},
    {"kind": "what a later version adds", "at_ns": 12},
    {"kind": "end", "at_ns": 1_000_000_000},
]


def written(path: Path, *rows: Any) -> Path:
    file = path / "h.steps.jsonl"
    file.write_text("".join(row if type(row) is str else json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


def test_all_kinds_of_rows_are_read(tmp_path: Path) -> None:
    found = read_record(written(tmp_path, ABOUT, STEP, *OTHERS))
    (step,) = found.steps
    assert (step.name, step.number, step.count) == ("train", 0, 2)
    assert step.wall == pytest.approx(10e-9)
    assert step.phases["device"] == pytest.approx(3e-9)
    assert found.compiles[0].wall == pytest.approx(6e-9)
    assert found.compiles[0].is_cached
    assert found.memory[0].rss_bytes == 100
    assert found.pipelines[0].steps[1]["method"] == "map"
    assert found.hooks == [("on_epoch_end", pytest.approx(2e-9))]
    assert found.callbacks == [("Saver", pytest.approx(4e-9))]
    assert found.total["input"] == pytest.approx(5e-9)
    assert found.duration == 1.0
    assert not found.damages


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_record_that_was_cut_keeps_its_whole_lines(tmp_path: Path, cut: int) -> None:
    file = written(tmp_path, ABOUT, STEP, STEP)
    file.write_bytes(file.read_bytes()[:-cut])
    found = read_record(file)
    assert len(found.steps) == 1 + (cut == 1)  # without its line break, the last one is whole
    assert found.damages == ["h.steps.jsonl ends in the middle of a line"]


BAD = [
    "no json\n",
    "\x00\x00\x00\n",
    "[1, 2]\n",
    '"text"\n',
    "[" * 100_000 + "\n",
    '{"kind": "step"}\n',
    json.dumps({**STEP, "input_ns": -5}) + "\n",
    json.dumps({**STEP, "input_ns": "5"}) + "\n",
    json.dumps({**STEP, "input_ns": 1 << 70}) + "\n",
    json.dumps({**STEP, "name": 3}) + "\n",
    json.dumps(STEP).replace("10", "NaN") + "\n",
    json.dumps({**OTHERS[2], "steps": [3]}) + "\n",
    json.dumps({**OTHERS[2], "steps": [{"method": "map", "busy_ns": "x"}]}) + "\n",
    json.dumps({**OTHERS[1], "rss_bytes": 1.5}) + "\n",
]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_a_line_that_is_no_row_is_passed_over_and_said(tmp_path: Path, bad: str) -> None:
    found = read_record(written(tmp_path, ABOUT, bad, STEP))
    assert len(found.steps) == 1
    assert found.damages == ["1 lines of h.steps.jsonl could not be read"]


def test_what_is_no_record_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected the record of a profile, .* got none"):
        read_record(written(tmp_path, STEP))
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(ValueError, match="expected the record of a profile"):
        read_record(tmp_path / "empty")


def test_a_later_version_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a record of version 1; got version=2. Update TapeFlow"):
        read_record(written(tmp_path, {**ABOUT, "version": 2}))


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_MOST_BYTES", 100)
    with pytest.raises(ValueError, match="expected at most 100 bytes of steps; got"):
        read_record(written(tmp_path, ABOUT, STEP))


def test_a_huge_line_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_MOST_LINE", 500)
    found = read_record(written(tmp_path, ABOUT, "x" * 5000 + "\n", STEP))
    assert len(found.steps) == 1
    assert found.damages == ["1 lines of h.steps.jsonl could not be read"]
