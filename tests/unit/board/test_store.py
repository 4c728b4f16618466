from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board.logdirs import natural, run_id
from tapeflow.board.notes import RUNS
from tapeflow.board.panels import Panel, find_panels, panel_of
from tapeflow.board.series import Series


@pytest.fixture
def board(tmp_path: Path, events: Any, load: Callable[..., Any]) -> Any:
    for name in ("run_2", "run_10", "run_2/train"):
        events.write(
            tmp_path / "runs" / name, events.scalars("loss 2", [1.0]) + events.scalars("loss 10", [1.0, 2.0])
        )
    return load(tmp_path / "runs")


def test_numbers_in_names_are_sorted_by_value(board: Any) -> None:
    assert [run.name for run in board.store.ordered_runs()] == ["run_2", "run_2/train", "run_10"]
    assert [entry["tag"] for entry in board.store.tags(["scalars"])["scalars"]] == ["loss 2", "loss 10"]
    assert sorted(["b", "a10", "a9", "10", "9", ""], key=natural) == ["", "9", "10", "a9", "a10", "b"]


def test_hyperparameters_are_those_of_the_folders_above_too(board: Any) -> None:
    runs = board.store.runs
    runs[run_id("run_2")].hparams = {"lr": 0.1, "units": 64.0}
    runs[run_id("run_2/train")].hparams = {"lr": 0.2}
    answers = {run["name"]: run["hparams"] for run in board.store.answers()["runs"]}
    assert answers == {
        "run_2": {"lr": 0.1, "units": 64.0},
        "run_2/train": {"lr": 0.2, "units": 64.0},
        "run_10": {},
    }


def test_changes_since_a_version(board: Any) -> None:
    store = board.store
    run = store.runs[run_id("run_2")]
    version = store.version
    store.changed(run, [run.scalars["loss 2"]])
    store.changed(run, begun_anew=True)
    found = store.changes(version)
    assert found.version == version + 2
    assert (found.runs, found.begun_anew, found.series) == ({run.id}, {run.id}, {(run.id, "loss 2")})
    assert store.changes(version + 1).series == set()
    assert store.changes(store.version).runs == set()
    for _ in range(5000):
        store.changed(run)
    assert store.changes(version).series == {(run.id, "loss 2")}  # nothing else, however much has happened
    assert store.changes(-1).runs == set(store.runs)


def test_panels_are_found_in_their_folders() -> None:
    panels = find_panels()
    assert [panel.name for panel in panels] == sorted(
        (panel.name for panel in panels), key=lambda name: next(p.position for p in panels if p.name == name)
    )
    assert {"scalars", "images", "audio", "text", "tables", "video"} <= {panel.name for panel in panels}


def test_numbers_go_to_panels_of_numbers() -> None:
    everything = [
        Panel("things", "Things", 1, shows=lambda series: True),
        Panel("numbers", "Numbers", 2, shows=lambda series: series.plugin == "mine", is_scalar=True),
    ]
    mine = Series("x", is_scalar=True)
    mine.plugin = "mine"
    assert panel_of(everything, mine) == "numbers"
    assert panel_of(everything, Series("x", is_scalar=True)) == ""
    assert panel_of(everything, Series("x", is_scalar=False)) == "things"


def test_progress_in_words(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow.board.store._PROGRESS_S", 0.0)
    store = board.store
    assert store.progress()["message"] == ""
    assert store.is_read
    store.runs[run_id("run_10")].state = "loading"
    store.runs[run_id("run_2")].state, store.runs[run_id("run_2")].failure = (
        "broken",
        RUNS("folder_unreadable", error="X"),
    )
    assert store.progress()["message"] == "2 of 3 runs read; run_2: the folder cannot be read: X"
    assert not store.progress()["is_done"]
    assert not store.is_read
