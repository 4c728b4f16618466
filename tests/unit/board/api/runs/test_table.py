from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board.api.runs.table import rows_of, table_of
from tapeflow.board.extremes import Extremes, extremes_of
from tapeflow.board.logdirs import run_id
from tapeflow.board.series import Series
from tapeflow.summary.kinds.hyperparameters import END_TAG, START_TAG, hparams_pb, session_end_pb

NAN, INF = math.nan, math.inf


class Table:
    """The message taken apart, as the page does."""

    def __init__(self, data: bytes) -> None:
        self.head, self.rows, self.columns = rows_of(data)
        self.names = [row["name"] for row in self.rows]

    def six(self, run: str, name: str) -> list[float]:
        at = 3 + 6 * self.head["scalars"].index(name)
        return self.columns[at : at + 6, self.names.index(run)].tolist()


def series_of(values: list[float], first: int = 0) -> Series:
    one = Series("x", True)
    add(one, values, first)
    return one


def add(one: Series, values: list[float], first: int) -> None:
    steps = np.arange(first, first + len(values))
    one.columns.append({"steps": steps, "wall_times": steps * 1.0, "values": np.array(values)})


def test_extremes_of_many_series_at_once() -> None:
    usual, odd = series_of([3.0, 1.0, 2.0, 1.0], 10), series_of([NAN, INF, -INF, NAN])
    nothing, one = series_of([NAN, NAN], 5), series_of([7.0], 2)
    high = series_of([NAN, INF])
    found = extremes_of([usual, odd, nothing, one, high, series_of([])])
    assert found[usual] == Extremes(4, 1.0, 13, 1.0, 11, 3.0, 10)
    assert found[one] == Extremes(1, 7.0, 2, 7.0, 2, 7.0, 2)
    assert found[odd][3:] == (-INF, 2, INF, 1)
    assert found[high][3:] == (INF, 1, INF, 1)
    assert math.isnan(found[nothing].least)
    assert (found[nothing].least_step, found[nothing].largest_step) == (5, 5)
    assert len(found) == 5


def test_extremes_go_on_from_what_was_seen() -> None:
    one, late = series_of([2.0, 5.0]), series_of([NAN])
    extremes_of([one, late])
    add(one, [NAN, 1.0, 5.0, 9.0], 2)
    add(late, [4.0], 1)
    found = extremes_of([one, late])
    assert found[one] == Extremes(6, 9.0, 5, 1.0, 3, 9.0, 5)
    assert found[late] == Extremes(2, 4.0, 1, 4.0, 1, 4.0, 1)
    add(one, [NAN], 6)
    assert extremes_of([one])[one][3:] == (1.0, 3, 9.0, 5)


def test_extremes_are_those_of_each_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow.board.extremes._MOST_POINTS", 50)
    rng = np.random.default_rng(3)
    drawn = [rng.integers(0, 9, rng.integers(1, 40)).astype(float) for _ in range(60)]
    wanted = [series_of(values.tolist()) for values in drawn]
    found = extremes_of(wanted)
    for one, values in zip(wanted, drawn, strict=True):
        expected = (values[-1], len(values) - 1, values.min(), values.argmin(), values.max(), values.argmax())
        assert found[one] == (len(values), *expected)


@pytest.fixture
def table(load: Callable[..., Any], tmp_path: Path) -> Callable[[], Table]:
    return lambda: Table(table_of(load(tmp_path / "runs").store))


def test_a_row_is_a_folder_with_its_training_and_validation(
    tmp_path: Path, events: Any, table: Callable[[], Table]
) -> None:
    runs = tmp_path / "runs"
    events.write(
        runs / "a/train", events.scalars("loss", [3.0, 2.0], 0), "events.out.tfevents.1.gpu-box.77.0.v2"
    )
    events.write(runs / "a/validation", events.scalars("loss", [4.0, 1.0, 5.0]))
    events.write(runs / "b", events.scalars("loss", [9.0], 3))
    found = table()
    assert found.names == ["a", "b"]
    first, second = found.rows
    assert first["runs"] == [run_id("a/train"), run_id("a/validation")]
    assert (first["id"], first["host"], second["host"]) == (run_id("a/train"), "gpu-box", "host")
    assert found.head["scalars"] == ["loss", "validation/loss"]
    assert found.six("a", "validation/loss") == [5.0, 2, 1.0, 1, 5.0, 2]
    assert found.six("b", "loss") == [9.0, 3, 9.0, 3, 9.0, 3]
    assert all(math.isnan(value) for value in found.six("b", "validation/loss"))
    assert found.columns[:3, 0].tolist() == [1.7e9, 2.0, 5.0]


def test_how_runs_ended(tmp_path: Path, events: Any, table: Callable[[], Table]) -> None:
    runs = tmp_path / "runs"
    for name, end in {"good": 1, "bad": 2, "stopped": 0, "open": None}.items():
        notes = {START_TAG: hparams_pb({"lr": 0.1}, name, 1.7e9)}
        if end is not None:
            notes[END_TAG] = session_end_pb(end, 1.7e9 + 9)
        data = b"".join(
            events.entry(tag, [], "hparams", content=pb.value[0].metadata.plugin_data.content)
            for tag, pb in notes.items()
        )
        path = events.write(runs / name, data)
        if name != "open":
            os.utime(path, (1.7e9, 1.7e9))
    found = {row["name"]: row["standing"] for row in table().rows}
    assert found == {"good": "finished", "bad": "crashed", "stopped": "stopped", "open": "running"}


def test_hparams_are_columns_those_that_differ_first(
    tmp_path: Path, events: Any, table: Callable[[], Table]
) -> None:
    runs = tmp_path / "runs"
    for name, lr in {"a": 0.1, "b": 0.2, "c": NAN}.items():
        pb = hparams_pb({"lr": lr, "batch": 8, "opt": "adam"}, name, 1.7e9)
        content = pb.value[0].metadata.plugin_data.content
        events.write(runs / name, events.entry(START_TAG, [], "hparams", content=content))
        events.write(runs / name / "train", events.scalars("loss", [1.0]))
    found = table()
    assert found.names == ["a", "b", "c"]
    assert [(one["name"], one["kind"], one["differs"]) for one in found.head["hparams"]] == [
        ("lr", "number", True),
        ("batch", "number", False),
        ("opt", "string", False),
    ]
    assert found.head["hparams"][0]["values"] == [0.1, 0.2, "NaN"]


def test_scalars_that_most_rows_have_come_first_and_the_rest_is_said(
    tmp_path: Path, events: Any, table: Callable[[], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    events.write(runs / "a", events.scalars("rare", [1.0]) + events.scalars("usual", [1.0]))
    events.write(runs / "b", events.scalars("usual", [1.0]))
    monkeypatch.setattr("tapeflow.board.api.runs.table.MOST_SCALARS", 1)
    monkeypatch.setattr("tapeflow.board.api.runs.table.MOST_ROWS", 1)
    found = table()
    assert (found.head["scalars"], found.names) == (["rare"], ["a"])
    assert found.head["left_out"] == (
        "1 runs beyond the first 1; 1 scalars that fewer runs have, beyond the first 1"
    )


def test_an_empty_log_folder_gives_an_empty_table(tmp_path: Path, table: Callable[[], Table]) -> None:
    (tmp_path / "runs").mkdir()
    assert table().rows == []
